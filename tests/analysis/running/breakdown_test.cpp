#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "analysis/running/scenario_job.hpp"
#include "comparable_results.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("Communication slows computing down by what the workload says, on every engine") {
  constexpr double slowdown = 0.25;
  constexpr double first_bucket_s = 0.002412;  // the second layer's, beside the first layer's backward pass
  constexpr double second_bucket_s = 0.003612;
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.workload.compute_law = "measured";
    scenario.workload.communication_slowdown = slowdown;
    add_algorithm(scenario, WfbpOptions{});
    const Result result = simulate_and_explain(scenario);
    CHECK(result.compute.law == "measured; 1.25 times as long while a worker communicates");
    const double slowed_s = first_bucket_s * slowdown / (1 + slowdown);
    const double tolerance = engine != Engine::simgrid ? 1e-11 : 1e-6;  // as above
    CHECK(result.runs[0].breakdown_s.forward == about(0.01, tolerance));
    CHECK(result.runs[0].breakdown_s.backward == about(0.02 + slowed_s, tolerance));
    CHECK(result.runs[0].iteration_time_s.mean ==
          about(small_compute_s + slowed_s + second_bucket_s, tolerance));
  }
}

TEST_CASE("Workers wait for a slow one, which waits for communication only") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 2}};
  add_algorithm(scenario, AllreduceOptions{});
  const RunResult run = simulate_and_explain(scenario).runs[0];
  // What the others sent is there when the slow one comes: it saves up to 2 of the all-reduce's 6 α of 2 µs.
  const double saved_s = 2 * small_compute_s + small_allreduce_s - run.iteration_time_s.mean;
  CHECK(saved_s >= 0);
  CHECK(saved_s < 4.001e-6);
  CHECK(run.breakdown_s.imbalance_wait == about(3 * small_compute_s / 4, 1e-9));
  CHECK(run.breakdown_s.exposed_communication == about(small_allreduce_s - saved_s, 1e-9));
  CHECK(run.breakdown_s.forward == about(5 * 0.01 / 4, rounding));
}

TEST_CASE("Under every algorithm the breakdown sums to the mean iteration time") {
  Scenario scenario = small_scenario();
  scenario.workload.optimizer_s_per_byte = 1e-10;
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.004},
                        RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.2}};
  add_all_algorithms(scenario);
  for (const RunResult& run : simulate_and_explain(scenario).runs) {
    CAPTURE(run.label);
    CHECK(sum_of(run.breakdown_s) == about(run.iteration_time_s.mean, rounding));
    CHECK(run.breakdown_s.delay == about(0.001, 1e-9));
    // Pairs that average beside the computation wait for nobody; others are done in time here.
    if (run.label != "adpsgd" && run.label != "decentralized_adam") CHECK(run.breakdown_s.imbalance_wait > 0);
  }
}

TEST_CASE(
    "Waiting that is left on a network without cost is what the formula of synchronous algorithms says") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 1});  // the same schedule, attributed by its pattern
  const Result result = simulate_and_explain(scenario);
  const Breakdown& formula = result.runs[0].breakdown_s;
  const Breakdown& run = result.runs[1].breakdown_s;
  CHECK(formula.imbalance_wait > 0.001);
  // Messages of a worker that waits are early by a few start-ups of 2 µs, which shifts waiting as much.
  CHECK(std::abs(run.imbalance_wait - formula.imbalance_wait) < 6 * 2e-6);
  CHECK(std::abs(run.exposed_communication - formula.exposed_communication) < 6 * 2e-6);
}

TEST_CASE("Where nothing was averaged, there is no number of those who took part") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 6});  // of 5 iterations
  const Participation participation = simulate_and_explain(scenario).runs[0].participation;
  CHECK(participation.details->operations == 0);
  CHECK_FALSE(participation.mean_active_workers.has_value());
}

TEST_CASE("Whose workers run apart, tells how far and who took part") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 2}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, EagerOptions{.kind = EagerOptions::solo, .bucket_bytes = 1e9});
  add_algorithm(scenario, AdpsgdOptions{});
  const Result result = simulate_and_explain(scenario);
  CHECK_FALSE(result.runs[0].participation.details.has_value());
  CHECK(*result.runs[0].participation.mean_active_workers == 4);

  const Participation& solo = result.runs[1].participation;
  CHECK(*solo.mean_active_workers < 4);
  CHECK(solo.details->operations == 5);
  CHECK(solo.details->fresh_contributions + solo.stale_contributions + solo.details->absent_contributions ==
        5 * 4);
  // The others need half as long, and 8 ms for a sum in solo: its slow worker ends 3 of 60 ms by 190 ms, the
  // one of adpsgd 2 by 150 ms.
  for (const std::size_t run : {1U, 2U}) {
    const auto ended = result.runs[run].participation.details->iterations_at_first_end;
    CHECK(ended[2] == (run == 1 ? 3 : 2));
    for (const std::size_t rank : {0U, 1U, 3U})
      CHECK(ended[rank] >= 4);  // 5, but for the last message's time
    CHECK(*std::ranges::max_element(ended) == 5);
  }
}

TEST_CASE("Throughput counts what each worker does in its own time, where some get ahead of others") {
  Scenario scenario = small_scenario();
  scenario.iterations = 40;
  scenario.imbalance = {SlowWorkers{.workers = {1}, .factor = 10}};
  add_algorithm(scenario, AdpsgdOptions{});
  double samples_per_s = 0;
  RunObservers observers;
  observers.run_finished = [&](const Result&, const IterationLog& log) {
    for (Rank rank = 0; rank < log.workers(); ++rank)
      samples_per_s += 32 * 39 / (log.of(rank).back().end_s - log.of(rank).front().end_s);
  };
  const RunResult run = simulate(scenario, observers).runs[0];
  CHECK(*run.throughput_samples_per_s == about(samples_per_s));
  // The slow worker's mean counts as much as any other's in that of all, but it does a tenth of the work.
  CHECK(*run.throughput_samples_per_s > 1.2 * 4 * 32 / run.iteration_time_s.mean);
  CHECK(*run.speedup == 1);
}

TEST_CASE("Who ends at the same moment but for rounding has ended its last iteration, too") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, EagerOptions{});
  const ScenarioJob job(scenario);
  Outcome outcome(4, 3);
  for (Rank rank = 0; rank < 4; ++rank)
    for (const double end_s : {0.03, 0.06, rank == 3 ? 0.11 : 0.1 + rank * 1e-16})
      outcome.log.add(rank, {.end_s = end_s});
  RunResult result;
  describe(job, 0, {.outcome = std::move(outcome)}, result);
  REQUIRE(result.participation.details.has_value());
  CHECK(result.participation.details->iterations_at_first_end == std::vector<std::int64_t>{3, 3, 3, 2});
}

}  // namespace
}  // namespace starling
