#include "analysis/explanation/waiting.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/analysis/results/hand_made_results.hpp"
#include "topologies/graphs/communication_graph.hpp"

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

/// A log of workers that are blocked for so long, iteration by iteration, and do nothing else.
IterationLog log_of_blocked(const std::vector<std::vector<double>>& blocked_s) {
  IterationLog log(static_cast<int>(blocked_s.size()));
  for (std::size_t rank = 0; rank < blocked_s.size(); ++rank)
    for (const double seconds : blocked_s[rank]) log.add(static_cast<Rank>(rank), {.blocked_s = seconds});
  return log;
}

std::vector<double> waiting_of(const IterationLog& log, Rank rank) {
  std::vector<double> waiting_s;
  for (const IterationRecord& record : log.of(rank)) waiting_s.push_back(record.imbalance_wait_s);
  return waiting_s;
}

/// What the first worker waits for imbalance, beside what it would wait without communication.
std::vector<double> balanced(const std::vector<double>& blocked_s, const std::vector<double>& free_s) {
  IterationLog log = log_of_blocked({blocked_s});
  attribute_waiting(log, log_of_blocked({free_s}));
  return waiting_of(log, 0);
}

TEST_CASE("Waiting that comes an iteration earlier than without communication is for imbalance") {
  CHECK(balanced({5, 5, 1}, {0, 5, 5}) == std::vector<double>{4, 5, 1});
  CHECK(balanced({5, 0}, {0, 5}) == std::vector<double>{5, 0});
  CHECK(balanced({3, 2, 0, 1}, {0, 0, 4, 1}) == std::vector<double>{2, 2, 0, 1});  // the latest first
  CHECK(balanced({6, 0, 6, 0}, {0, 5, 0, 5}) == std::vector<double>{5, 0, 5, 0});
}

TEST_CASE("Waiting without communication that nothing before made up for does not come later") {
  CHECK(balanced({0, 5, 3}, {5, 0, 3}) == std::vector<double>{0, 0, 3});
  CHECK(balanced({1, 1, 1}, {9, 9, 9}) == std::vector<double>{1, 1, 1});
}

TEST_CASE("Waiting in every iteration for at least as long as without communication is what it was") {
  const std::vector<double> free_s{0.1, 0, 0.7, 1.0 / 3, 0, 1e-17};
  std::vector<double> blocked_s;
  for (const double seconds : free_s) blocked_s.push_back(seconds + 0.2);
  CHECK(balanced(blocked_s, free_s) == free_s);
  CHECK(balanced(free_s, free_s) == free_s);
}

TEST_CASE("What is counted does not depend on the iterations before it") {
  const std::vector<double> counted = balanced({2, 4, 1, 3}, {0, 3, 6, 1});
  for (const auto& [blocked_s, free_s] : {std::pair(7.0, 0.0), std::pair(0.0, 7.0), std::pair(1.0, 1.0)}) {
    const std::vector<double> all = balanced({blocked_s, 2, 4, 1, 3}, {free_s, 0, 3, 6, 1});
    CHECK(std::vector<double>(all.begin() + 1, all.end()) == counted);
  }
}

TEST_CASE("By a pattern, too, a worker that comes late waited for imbalance before") {
  // Each waits for the one before, and 0 is slow at first: without communication 1 waits for 8 in iteration
  // 0, and 2 for 8 in iteration 1. Here 2, whose model 0 does not take before it is ready, waits at once.
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
}

TEST_CASE(
    "Who updates for longer comes later to the next iteration, and others wait for it, by a pattern, too") {
  for (const auto leave : {ModelsLeave::when_ready, ModelsLeave::at_begin}) {
    IterationLog log(2);
    log.add(0, {.forward_s = 1, .blocked_s = 9});
    log.add(1, {.forward_s = 1, .update_s = 3, .blocked_s = 9});
    for (const Rank rank : {0, 1, 0, 1}) log.add(rank, {.forward_s = 1, .blocked_s = 9});
    attribute_waiting(log, {.leave = leave});
    // Models come as they are ready, at 5 of worker 1, or as it begins, at 4; worker 0 is ready at 2.
    const double waited_s = leave == ModelsLeave::when_ready ? 3 : 2;
    CHECK(waiting_of(log, 0) == std::vector<double>{0, waited_s, 0});
    CHECK(waiting_of(log, 1) == std::vector<double>{0, 0, 0});
  }
}

TEST_CASE("Where everyone waits for everyone, a pattern tells what is told of synchronous algorithms") {
  for (const auto leave : {ModelsLeave::when_ready, ModelsLeave::after_update}) {
    IterationLog log = two_workers_log();
    attribute_waiting(log, {.leave = leave});
    const IterationLog synchronous = attributed(two_workers_log());
    for (const Rank rank : {0, 1}) CHECK(waiting_of(log, rank) == waiting_of(synchronous, rank));
  }
}

}  // namespace
}  // namespace starling
