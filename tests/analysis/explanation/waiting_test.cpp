#include "analysis/explanation/waiting.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "tests/analysis/results/hand_made_results.hpp"

namespace starling {
namespace {

TEST_CASE("A blocked worker waits for the slowest worker first, then for communication") {
  const IterationLog log = attributed(two_workers_log());  // the longest work is 18 sixteenths
  const IterationRecord& waiting = log.of(0)[2];
  CHECK(waiting.imbalance_wait_s == 8 * sixteenth);
  CHECK(waiting.blocked_s == 10 * sixteenth);

  const IterationRecord& slowest = log.of(1)[2];
  CHECK(slowest.imbalance_wait_s == 0);
  CHECK(slowest.blocked_s == 2 * sixteenth);
}

TEST_CASE("Where a worker waits in the middle of its work does not matter") {
  IterationLog log(2);
  log.add(0, {.end_s = 20, .ready_s = 20, .forward_s = 4, .backward_s = 8, .blocked_s = 8});
  log.add(1, {.end_s = 20, .ready_s = 18, .forward_s = 8, .backward_s = 10, .blocked_s = 2});
  CHECK(attributed(std::move(log)).of(0)[0].imbalance_wait_s == 6);
}

TEST_CASE("No more imbalance is counted than the worker was blocked") {
  IterationLog log(2);
  log.add(0, {.end_s = 3, .forward_s = 1, .blocked_s = 0.5});
  log.add(1, {.end_s = 10, .forward_s = 10});
  CHECK(attributed(std::move(log)).of(0)[0].imbalance_wait_s == 0.5);
}

TEST_CASE("The iteration before is waited for as far as a delay does not cover it") {
  IterationLog log(2);
  log.add(0, {.forward_s = 1, .backward_s = 2});
  log.add(1, {.forward_s = 4, .backward_s = 8});
  log.add(0, {.delay_s = 3, .forward_s = 1, .backward_s = 2, .update_s = 1, .blocked_s = 10});
  log.add(1, {.forward_s = 1, .backward_s = 2, .update_s = 1, .blocked_s = 5});
  log.add(0, {.forward_s = 1, .backward_s = 2, .blocked_s = 10});
  log.add(1, {.forward_s = 1, .backward_s = 2, .blocked_s = 10});
  attribute_waiting_for_iteration_before(log);
  const auto waiting_s = [&](Rank rank, std::size_t i) { return log.of(rank)[i].imbalance_wait_s; };
  CHECK(waiting_s(0, 0) == 0);
  CHECK(waiting_s(1, 0) == 0);
  CHECK(waiting_s(0, 1) == 6);  // from 3 + 3 to 12
  CHECK(waiting_s(1, 1) == 0);
  CHECK(waiting_s(0, 2) == 0);  // both ended at 16
  CHECK(waiting_s(1, 2) == 0);
}

TEST_CASE("What a worker waits without communication is imbalance, as far as it waited") {
  IterationLog log(2);
  IterationLog free(2);
  log.add(0, {.end_s = 3, .forward_s = 1, .blocked_s = 2});
  log.add(1, {.end_s = 3, .forward_s = 2.5, .blocked_s = 0.5});
  free.add(0, {.end_s = 2.5, .forward_s = 1, .blocked_s = 1.5});
  free.add(1, {.end_s = 3.5, .forward_s = 2.5, .blocked_s = 1});
  attribute_waiting(log, free);
  CHECK(log.of(0)[0].imbalance_wait_s == 1.5);
  CHECK(log.of(1)[0].imbalance_wait_s == 0.5);
}

}  // namespace
}  // namespace starling
