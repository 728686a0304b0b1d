#include "algorithms/collectives/evaluation/evaluated_rings.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <memory>

#include "base/errors.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

constexpr int workers = 3;
const RingSchedule ring(RingSchedule::Phase::allreduce, workers, 30'000);

std::unique_ptr<EvaluatedRings> evaluated(const MessageCosts& costs) {
  const Schedule* const only = &ring;
  return EvaluatedRings::make({&only, 1}, Buffer::bytes_per_float, Star(workers).network, costs);
}

/// What is said of a run of the ring, after which each worker does something else.
RunStatistics statistics_of(EvaluatedRings& rings, const std::function<void(Worker&)>& afterwards) {
  RunStatistics statistics = run_on_star(workers, {}, [&](Worker& worker) {
    rings.run(worker, ring, Buffer::sized(ring.count()), 1);
    afterwards(worker);
  });
  rings.add_to(statistics);
  return statistics;
}

TEST_CASE("a run with evaluated rings counts the messages that it does without") {
  const auto rings = evaluated({});
  const RunStatistics statistics = statistics_of(*rings, [](Worker&) {});
  CHECK(rings->is_exact());
  CHECK(statistics.messages == 12);
  CHECK(statistics.bytes == 4 * 120'000);
}

TEST_CASE("messages beside evaluated rings, which are said to be the only traffic, are a broken invariant") {
  const auto rings = evaluated({});
  CHECK_THROWS_AS(statistics_of(*rings,
                                [](Worker& worker) {
                                  if (worker.rank() == 0) worker.send(Buffer::sized(1), 1, 2);
                                }),
                  InvariantError);
}

TEST_CASE("rings are not evaluated where sends wait or workers notice late") {
  CHECK(evaluated({.eager_threshold_bytes = 40'000}));
  CHECK_FALSE(evaluated({.eager_threshold_bytes = 39'999}));
  CHECK_FALSE(evaluated({.send_buffer_bytes = 1e6}));
  CHECK_FALSE(evaluated({.wake_up_s = 1e-6}));
}

}  // namespace
}  // namespace starling
