#include "analysis/results/computing.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "hand_made_results.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// The log of two_workers_log() with planned computing of 10/16 s an iteration; in the last one of 11/16 s
/// for worker 0, and of 16/16 s, delay included, for worker 1.
IterationLog late_log() {
  constexpr double unit = 1.0 / 16;
  IterationLog log = two_workers_log();
  for (const Rank rank : {0, 1})
    for (IterationRecord& record : log.of(rank)) record.planned_s = 10 * unit;
  log.of(0)[2].planned_s = 11 * unit;
  log.of(1)[2].planned_s = 16 * unit;
  return log;
}

TEST_CASE("Computing has planned and actual times for each rank, and the lateness of iterations") {
  constexpr double unit = 1.0 / 16;
  const Computing found = computing(late_log(), 1);
  // Sixteenths, actual and planned: worker 0 has 11 of 10 and 11 of 11, worker 1 has 11 of 10 and 19 of 16.
  REQUIRE(found.ranks.size() == 2);
  CHECK(found.ranks[0].planned_s == 10.5 * unit);
  CHECK(found.ranks[0].passed_s == 11 * unit);
  CHECK(found.ranks[0].latest_s == 1 * unit);
  CHECK(found.ranks[1].planned_s == 13 * unit);
  CHECK(found.ranks[1].passed_s == 15 * unit);
  CHECK(found.ranks[1].latest_s == 3 * unit);
  CHECK(found.planned_s == 11.75 * unit);
  CHECK(found.passed_s == 13 * unit);
  CHECK(found.late_s.mean == 1.25 * unit);
  CHECK(found.late_s.max == 3 * unit);
  CHECK(found.late_s.p95 == about(2.7 * unit));  // of 0, 1, 1, 3: 0.85 of the way from 1 to 3
  CHECK(found.late_s.std == about(std::sqrt(1.1875) * unit));
  CHECK_FALSE(found.timers);
}

TEST_CASE("The greatest lateness of a rank does not depend on other ranks") {
  constexpr double unit = 1.0 / 16;
  IterationLog log = late_log();
  log.of(0)[1].planned_s = 5 * unit;
  const Computing found = computing(log, 1);
  CHECK(found.ranks[0].latest_s == 6 * unit);
  CHECK(found.ranks[1].latest_s == 3 * unit);
  CHECK(found.late_s.max == 6 * unit);
}

TEST_CASE("Late timers have a count and the mean and standard deviation of their lateness") {
  LateTimers timers;
  CHECK(timers.mean_s() == 0);
  CHECK(timers.std_s() == 0);
  timers.add(1);
  LateTimers others;
  others.add(3);
  others.add(5);
  timers.add(others);
  CHECK(timers.count == 3);
  CHECK(timers.mean_s() == 3);
  CHECK(timers.max_s == 5);
  CHECK(timers.std_s() == about(std::sqrt(8.0 / 3)));
}

TEST_CASE("Late computing and repetitions that differ are signs of load") {
  CHECK(signs_of_load("ddp", 1, 0.009, 0.05).empty());
  CHECK(signs_of_load("ddp", 1, std::nullopt, std::nullopt).empty());
  CHECK(signs_of_load("ddp", 0, 0, 0).empty());
  const auto late = signs_of_load("ddp", 2, 0.05, std::nullopt);
  REQUIRE(late.size() == 1);
  CHECK(late[0].starts_with("computing of ddp was late by 2.5 % of the iteration on average (less than 1 %"));
  const auto uneven = signs_of_load("ddp", 2, 0, 0.062);
  REQUIRE(uneven.size() == 1);
  CHECK(uneven[0].starts_with("the repetitions of ddp differ by 6 % (standard deviation over mean;"));
  CHECK(signs_of_load("ddp", 2, 0.05, 0.062).size() == 2);
}

}  // namespace
}  // namespace starling
