#include "analysis/results/metrics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "analysis/explanation/waiting.hpp"
#include "base/errors.hpp"
#include "hand_made_results.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE(
    "The mean iteration time is taken between the ends of the last warm-up and the last counted iteration") {
  const IterationTime time = iteration_time(two_workers_log(), 1);
  CHECK(time.mean == (50 - 16) * sixteenth / 2);
}

TEST_CASE("Without warm-up iterations time counts from the start of the run") {
  const IterationTime time = iteration_time(two_workers_log(), 0);
  CHECK(time.mean == about(50 * sixteenth / 3, 1e-15));  // a third is rounded
}

TEST_CASE("Durations of all workers and counted iterations make up the distribution") {
  const IterationTime time = iteration_time(two_workers_log(), 1);  // 13, 13, 21, 21 sixteenths
  CHECK(time.min == 13 * sixteenth);
  CHECK(time.max == 21 * sixteenth);
  CHECK(time.p50 == 17 * sixteenth);
  CHECK(time.std == 4 * sixteenth);
  CHECK(time.p5 == 13 * sixteenth);
  CHECK(time.p95 == 21 * sixteenth);
}

TEST_CASE("A log on disk has the same statistics to the last bit") {
  constexpr int workers = 5;
  constexpr std::int64_t iterations = 200;
  IterationLog in_memory(workers, iterations);
  IterationLog on_disk(workers, iterations, 1000);
  for (std::int64_t i = 0; i < iterations; ++i)
    for (Rank rank = 0; rank < workers; ++rank)
      for (IterationLog* log : {&in_memory, &on_disk}) {
        const auto step = static_cast<double>(i + 1);
        log->add(
            rank,
            {.end_s = step + std::sin(step * rank) / 3, .forward_s = 1 / (step + rank), .blocked_s = 0.1});
      }
  REQUIRE(on_disk.is_on_disk());
  attribute_waiting(in_memory);
  attribute_waiting(on_disk);
  const IterationTime expected = iteration_time(in_memory, 20);
  const IterationTime time = iteration_time(on_disk, 20);
  CHECK(time.mean == expected.mean);
  CHECK(time.std == expected.std);
  CHECK(time.p5 == expected.p5);
  CHECK(time.p95 == expected.p95);
  CHECK(breakdown(on_disk, 20).forward == breakdown(in_memory, 20).forward);
  CHECK(breakdown(on_disk, 20).imbalance_wait == breakdown(in_memory, 20).imbalance_wait);
}

TEST_CASE("The duration of an iteration is the mean over workers") {
  CHECK(mean_durations_s(two_workers_log(), 1) == std::vector<double>{13 * sixteenth, 21 * sixteenth});
  IterationLog log(2);
  for (const auto& [rank, end_s] : {std::pair{0, 1.0}, {1, 3.0}, {0, 3.0}, {1, 4.0}})
    log.add(rank, {.end_s = end_s});
  CHECK(mean_durations_s(log, 0) == std::vector<double>{2, 1.5});
  CHECK(mean_times_of_workers_s(log, 0) == std::vector<double>{1.5, 2});
}

TEST_CASE("The breakdown's parts are means over workers and counted iterations") {
  const Breakdown parts = breakdown(attributed(two_workers_log()), 1);
  CHECK(parts.delay == 2 * sixteenth);
  CHECK(parts.forward == 4 * sixteenth);
  CHECK(parts.backward == 6 * sixteenth);
  CHECK(parts.update == 1 * sixteenth);
  CHECK(parts.imbalance_wait == 2 * sixteenth);
  CHECK(parts.exposed_communication == 2 * sixteenth);
}

TEST_CASE("The breakdown sums to the mean iteration time") {
  for (const std::int64_t warmup : {0, 1, 2}) {
    const Breakdown parts = breakdown(attributed(two_workers_log()), warmup);
    const double sum = parts.delay + parts.forward + parts.backward + parts.update +
                       parts.exposed_communication + parts.imbalance_wait;
    // Both are sums of a few exact numbers, divided by 2 to 6: some units in the last place may differ.
    CHECK(sum == about(iteration_time(two_workers_log(), warmup).mean, 1e-15));
  }
}

TEST_CASE("A log whose workers disagree on the number of iterations is a bug") {
  IterationLog log(2);
  log.add(0, {});
  CHECK_THROWS_AS(iteration_time(log, 0), InvariantError);
}

TEST_CASE("Warm-up must leave an iteration to count") {
  CHECK_THROWS_AS(iteration_time(two_workers_log(), 3), InvariantError);
  CHECK_THROWS_AS(breakdown(attributed(two_workers_log()), 3), InvariantError);
}

}  // namespace
}  // namespace starling
