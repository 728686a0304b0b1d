#include "analysis/explanation/waiting.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/analysis/results/hand_made_results.hpp"
#include "topologies/graphs/communication_graph.hpp"

namespace starling {
namespace {

TEST_CASE("A blocked worker waits for the slowest worker first, then for communication") {
  const IterationLog log =
      attributed(two_workers_log());  // the slowest worker works for 18 sixteenths of a second
  const IterationRecord& waiting = log.of(0)[2];
  CHECK(waiting.imbalance_wait_s == 8 * sixteenth);
  CHECK(waiting.blocked_s == 10 * sixteenth);

  const IterationRecord& slowest = log.of(1)[2];
  CHECK(slowest.imbalance_wait_s == 0);
  CHECK(slowest.blocked_s == 2 * sixteenth);
}

TEST_CASE("Waiting in the middle of work counts like waiting at its end") {
  IterationLog log(2);
  log.add(0, {.end_s = 20, .ready_s = 20, .forward_s = 4, .backward_s = 8, .blocked_s = 8});
  log.add(1, {.end_s = 20, .ready_s = 18, .forward_s = 8, .backward_s = 10, .blocked_s = 2});
  CHECK(attributed(std::move(log)).of(0)[0].imbalance_wait_s == 6);
}

TEST_CASE("Waiting for imbalance is at most the time for which the worker was blocked") {
  IterationLog log(2);
  log.add(0, {.end_s = 3, .forward_s = 1, .blocked_s = 0.5});
  log.add(1, {.end_s = 10, .forward_s = 10});
  CHECK(attributed(std::move(log)).of(0)[0].imbalance_wait_s == 0.5);
}

TEST_CASE(
    "A worker waits for the slowest worker of the iteration before for the time that exceeds its own delay") {
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
  CHECK(waiting_s(0, 1) == 6);  // its work ends at 3, its delay at 6; the slowest worker's at 12
  CHECK(waiting_s(1, 1) == 0);
  CHECK(waiting_s(0, 2) == 0);  // both ended at 16
  CHECK(waiting_s(1, 2) == 0);
}

TEST_CASE("Waiting without communication is imbalance, up to the time for which the worker was blocked") {
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

/// A log of workers that only wait: blocked_s[rank][iteration] seconds.
IterationLog log_of_blocked(const std::vector<std::vector<double>>& blocked_s) {
  IterationLog log(static_cast<int>(blocked_s.size()));
  for (std::size_t rank = 0; rank < blocked_s.size(); ++rank)
    for (const double seconds : blocked_s[rank]) log.add(static_cast<Rank>(rank), {.blocked_s = seconds});
  return log;
}

/// The waiting for imbalance in seconds of each iteration of a worker.
std::vector<double> waiting_of(const IterationLog& log, Rank rank) {
  std::vector<double> waiting_s;
  for (const IterationRecord& record : log.of(rank)) waiting_s.push_back(record.imbalance_wait_s);
  return waiting_s;
}

/// The waiting for imbalance in each iteration of a worker that is blocked for `blocked_s`, and for `free_s`
/// without communication.
std::vector<double> balanced(const std::vector<double>& blocked_s, const std::vector<double>& free_s) {
  IterationLog log = log_of_blocked({blocked_s});
  attribute_waiting(log, log_of_blocked({free_s}));
  return waiting_of(log, 0);
}

TEST_CASE("Waiting that occurs in an earlier iteration than without communication counts as imbalance") {
  CHECK(balanced({5, 5, 1}, {0, 5, 5}) == std::vector<double>{4, 5, 1});
  CHECK(balanced({5, 0}, {0, 5}) == std::vector<double>{5, 0});
  CHECK(balanced({3, 2, 0, 1}, {0, 0, 4, 1}) ==
        std::vector<double>{2, 2, 0,
                            1});  // the 4 s of the third iteration fall on the latest before first: 2 and 2
  CHECK(balanced({6, 0, 6, 0}, {0, 5, 0, 5}) == std::vector<double>{5, 0, 5, 0});
}

TEST_CASE("Waiting without communication that no earlier iteration can hold is not moved to a later one") {
  CHECK(balanced({0, 5, 3}, {5, 0, 3}) == std::vector<double>{0, 0, 3});
  CHECK(balanced({1, 1, 1}, {9, 9, 9}) == std::vector<double>{1, 1, 1});
}

TEST_CASE("Imbalance is the waiting without communication if every iteration waits at least that long") {
  const std::vector<double> free_s{0.1, 0, 0.7, 1.0 / 3, 0, 1e-17};
  std::vector<double> blocked_s;
  for (const double seconds : free_s) blocked_s.push_back(seconds + 0.2);
  CHECK(balanced(blocked_s, free_s) == free_s);
  CHECK(balanced(free_s, free_s) == free_s);
}

TEST_CASE("The waiting of counted iterations does not depend on iterations before them") {
  const std::vector<double> counted = balanced({2, 4, 1, 3}, {0, 3, 6, 1});
  for (const auto& [blocked_s, free_s] : {std::pair(7.0, 0.0), std::pair(0.0, 7.0), std::pair(1.0, 1.0)}) {
    const std::vector<double> all = balanced({blocked_s, 2, 4, 1, 3}, {free_s, 0, 3, 6, 1});
    CHECK(std::vector<double>(all.begin() + 1, all.end()) == counted);
  }
}

TEST_CASE(
    "With a communication graph waiting moves to an earlier iteration in which the worker was blocked") {
  // A directed ring: each worker waits for its predecessor, and worker 0 computes for 9 s in iteration 0.
  // Without communication worker 1 waits for 8 s in iteration 0, and worker 2 for 8 s in iteration 1. Here
  // worker 2 is blocked in iteration 0 already, by a send that worker 0 does not take before it is ready.
  const auto graph = build_communication_graph(
      {.workers = 3,
       .kind = EdgeListGraph{.edges = {{0, 1, {}}, {1, 2, {}}, {2, 0, {}}}, .is_directed = true}});
  IterationLog log(3);
  log.add(0, {.forward_s = 9, .blocked_s = 1});
  log.add(1, {.forward_s = 1, .blocked_s = 9});
  log.add(2, {.forward_s = 1, .blocked_s = 9});
  for (const Rank rank : {0, 1, 2}) log.add(rank, {.forward_s = 1, .blocked_s = 1});
  attribute_waiting(log, {.graph = graph.get()});
  CHECK(waiting_of(log, 0) == std::vector<double>{0, 0});
  CHECK(waiting_of(log, 1) == std::vector<double>{8, 0});
  CHECK(waiting_of(log, 2) == std::vector<double>{7, 1});
  // By rendezvous worker 2 waits for worker 0, its receiver, without communication, too.
  attribute_waiting(log, {.graph = graph.get(), .waits_for_receivers = true});
  CHECK(waiting_of(log, 0) == std::vector<double>{0, 0});
  CHECK(waiting_of(log, 1) == std::vector<double>{8, 0});
  CHECK(waiting_of(log, 2) == std::vector<double>{8, 0});
}

TEST_CASE(
    "Neighbors wait for a worker whose optimizer update takes longer, in the next iteration of a pattern, "
    "too") {
  for (const auto send_point : {SendPoint::when_ready, SendPoint::at_begin}) {
    IterationLog log(2);
    log.add(0, {.forward_s = 1, .blocked_s = 9});
    log.add(1, {.forward_s = 1, .update_s = 3, .blocked_s = 9});
    for (const Rank rank : {0, 1, 0, 1}) log.add(rank, {.forward_s = 1, .blocked_s = 9});
    attribute_waiting(log, {.send_point = send_point});
    // Worker 1 updates until 4 and is ready at 5, worker 0 at 2: its neighbor's model leaves when it is
    // ready, at 5, or at the begin of the iteration, at 4.
    const double waited_s = send_point == SendPoint::when_ready ? 3 : 2;
    CHECK(waiting_of(log, 0) == std::vector<double>{0, waited_s, 0});
    CHECK(waiting_of(log, 1) == std::vector<double>{0, 0, 0});
  }
}

TEST_CASE("The pattern of a complete graph gives the waiting of a synchronous algorithm") {
  for (const auto send_point : {SendPoint::when_ready, SendPoint::after_update}) {
    IterationLog log = two_workers_log();
    attribute_waiting(log, {.send_point = send_point});
    const IterationLog synchronous = attributed(two_workers_log());
    for (const Rank rank : {0, 1}) CHECK(waiting_of(log, rank) == waiting_of(synchronous, rank));
  }
}

}  // namespace
}  // namespace starling
