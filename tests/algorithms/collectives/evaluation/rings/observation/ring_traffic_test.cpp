#include "algorithms/collectives/evaluation/rings/observation/ring_traffic.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/algorithms/collectives/evaluation/compared.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

double bytes_sent(const RingSchedule& ring, Rank rank) {
  std::int64_t elements = 0;
  for (int round = 0; round < ring.rounds(rank); ++round)
    elements += ring.round(rank, round).send.chunk.count;
  return Buffer::bytes_per_float * static_cast<double>(elements);
}

TEST_CASE("links carry all bytes that ranks send in rings, also of rings whose times are only added up") {
  constexpr int ranks = 5;
  const Star star(ranks);
  FreeRoutes network(star.network, {}, rules_of(Model::fair));
  std::optional<RingEvaluator> rings = RingEvaluator::make(network);
  REQUIRE(rings);
  double begin_s = 0;
  for (const auto phase : {RingSchedule::Phase::allreduce, RingSchedule::Phase::reduce_scatter,
                           RingSchedule::Phase::allgather}) {
    for (const std::int64_t larger_chunks : {0, 1, 2, 4}) {
      const RingSchedule large(phase, ranks, ranks * 5000);
      const RingSchedule small(phase, ranks, ranks * 1000 + larger_chunks);
      LinkWatch watch(star.network.links(), std::vector<double>{0});
      RingTraffic traffic(*rings, watch);
      for (const RingSchedule* const ring : {&large, &small, &small}) {
        (void)rings->evaluate(*ring, Times(ranks, ++begin_s), Buffer::bytes_per_float);
        traffic.begin(rings->last(), std::vector<Activity>(ranks, Activity::waiting));
        traffic.end();
      }
      for (Rank rank = 0; rank < ranks; ++rank) {
        CAPTURE(rank);
        CAPTURE(larger_chunks);
        const double bytes = bytes_sent(large, rank) + 2 * bytes_sent(small, rank);
        for (const LinkIndex link : star.network.route(rank, Ring(rank, ranks).right())) {
          CHECK(watch.use(link).bytes() == about(bytes));
          CHECK(watch.carried(link)[0] == about(bytes));
        }
      }
    }
  }
}

}  // namespace
}  // namespace starling
