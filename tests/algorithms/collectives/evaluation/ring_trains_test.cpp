#include "algorithms/collectives/evaluation/ring_trains.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/ring_record.hpp"
#include "base/simultaneous.hpp"
#include "sim/messages/transport.hpp"
#include "tests/algorithms/collectives/evaluation/compared.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

struct SentMessage {
  std::size_t size;
  double ready_s;
  double arrival_s;
};
/// By rank, in order.
using SentMessages = std::vector<std::vector<SentMessage>>;

SentMessages step_by_step(const RingEvaluator& rings, const EvaluatedRing& ring) {
  const std::size_t ranks = ring.before.size();
  SentMessages all(ranks);
  std::vector<double> ready_s(ranks);
  std::vector<double> free_s(ranks);
  std::vector<double> arrival_s(ranks);
  RingReplay replay(rings.hops(), rings.network(), ring, ring.first_step, ring.before);
  for (int step = ring.first_step; step < ring.end_step; ++step) {
    replay.step([&](const auto& each) { each.note_sent({ready_s.data(), free_s.data(), arrival_s.data()}); });
    replay.for_each_sender([&](std::size_t rank, std::size_t size) {
      all[rank].push_back({size, ready_s[rank], arrival_s[rank]});
    });
  }
  return all;
}

struct OfTrains {
  SentMessages messages;
  std::int64_t trains = 0;
};

OfTrains by_trains(const RingEvaluator& rings, const EvaluatedRing& ring) {
  OfTrains all{.messages = SentMessages(ring.before.size())};
  RingTrains(rings).go_through(ring, [&](std::size_t rank, const Train& train) {
    ++all.trains;
    for (std::int64_t i = 0; i < train.messages; ++i)
      all.messages[rank].push_back({train.size, train.ready.of(i), train.arrival.of(i)});
  });
  return all;
}

bool are_alike(const SentMessage& one, const SentMessage& other) {
  return one.size == other.size && are_simultaneous(one.ready_s, other.ready_s) &&
         are_simultaneous(one.arrival_s, other.arrival_s);
}

std::size_t number_of(const SentMessages& messages) {
  std::size_t number = 0;
  for (const auto& of_rank : messages) number += of_rank.size();
  return number;
}

Network hosts_on_star(int workers, int workers_per_host) {
  return build_network({.workers = workers,
                        .workers_per_host = workers_per_host,
                        .network = {.kind = StarOptions{.link = {1.25e9, 4e-6}}},
                        .intra_host_link = LinkOptions{1e11, 1e-6}});
}

TEST_CASE("Trains of a ring have the messages that its steps have") {
  for (const auto& [workers, workers_per_host] :
       std::vector<std::pair<int, int>>{{2, 1}, {5, 1}, {48, 1}, {300, 1}, {40, 4}, {160, 4}, {280, 8}}) {
    const Network network = hosts_on_star(workers, workers_per_host);
    for (const char* name : {"ideal", "nccl_ib", "mpi_tcp"}) {
      MessageCosts costs = transport(name).costs;
      costs.reduction_s_per_byte = 2e-11;
      for (const std::int64_t count : {std::int64_t{workers} * 100'000, std::int64_t{1'000'007},
                                       std::int64_t{workers} * 10 + 3, std::int64_t{17}}) {
        for (const double spread_s : {0.0, 1e-5, 3e-3}) {
          FreeRoutes routes(network, costs, rules_of(Model::fair));
          std::optional<RingEvaluator> rings = RingEvaluator::make(routes);
          const RingSchedule schedule(RingSchedule::Phase::allreduce, workers, count);
          if (!rings->can_follow(schedule, Buffer::bytes_per_float)) continue;
          (void)rings->evaluate(schedule, random_beginnings(workers, spread_s), Buffer::bytes_per_float);
          const SentMessages expected = step_by_step(*rings, rings->last());
          const OfTrains found = by_trains(*rings, rings->last());
          CAPTURE(workers);
          CAPTURE(workers_per_host);
          CAPTURE(name);
          CAPTURE(count);
          CAPTURE(spread_s);
          CHECK(std::ranges::equal(expected, found.messages, [](const auto& one, const auto& other) {
            return std::ranges::equal(one, other, are_alike);
          }));
          if (workers == 300 && count >= workers && spread_s == 0)
            CHECK(found.trains * 20 < static_cast<std::int64_t>(number_of(expected)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace starling
