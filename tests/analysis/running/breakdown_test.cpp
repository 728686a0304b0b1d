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

TEST_CASE("communication_slowdown makes computing slower while a worker communicates, on every engine") {
  constexpr double slowdown = 0.25;
  constexpr double first_bucket_s =
      0.002412;  // the all-reduce of the second layer overlaps the first layer's backward pass
  constexpr double second_bucket_s = 0.003612;
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.workload.compute_source = "measured";
    scenario.workload.communication_slowdown = slowdown;
    add_algorithm(scenario, WfbpOptions{});
    const Result result = simulate_and_explain(scenario);
    CHECK(result.compute.law == "measured; 1.25 times as long while a worker communicates");
    const double slowed_s = first_bucket_s * slowdown / (1 + slowdown);
    const double tolerance = engine != Engine::simgrid ? 1e-11 : 1e-6;  // SimGrid's clock is less precise
    CHECK(result.runs[0].breakdown_s.forward == about(0.01, tolerance));
    CHECK(result.runs[0].breakdown_s.backward == about(0.02 + slowed_s, tolerance));
    CHECK(result.runs[0].iteration_time_s.mean ==
          about(small_compute_s + slowed_s + second_bucket_s, tolerance));
  }
}

TEST_CASE("Workers wait for a slow worker, which itself waits only for communication") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 2}};
  add_algorithm(scenario, AllreduceOptions{});
  const RunResult run = simulate_and_explain(scenario).runs[0];
  // Messages of the others have arrived when the slow worker is ready, which saves up to 2 of the ring's 6
  // latencies of 2 µs.
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
    // AD-PSGD averages in parallel with computing and never waits; decentralized Adam's averages are done in
    // time here.
    if (run.label != "adpsgd" && run.label != "decentralized_adam") CHECK(run.breakdown_s.imbalance_wait > 0);
  }
}

TEST_CASE(
    "Waiting by the pattern of local SGD with period 1 equals that by the formula of synchronous "
    "algorithms") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 1});  // the same schedule, attributed by its pattern
  const Result result = simulate_and_explain(scenario);
  const Breakdown& formula = result.runs[0].breakdown_s;
  const Breakdown& run = result.runs[1].breakdown_s;
  CHECK(formula.imbalance_wait > 0.001);
  // Messages of a waiting worker arrive early, by up to 6 latencies of 2 µs, which shifts waiting by as much.
  CHECK(std::abs(run.imbalance_wait - formula.imbalance_wait) < 6 * 2e-6);
  CHECK(std::abs(run.exposed_communication - formula.exposed_communication) < 6 * 2e-6);
}

TEST_CASE("Without any averaging the number of active workers is undefined") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 6});  // of 5 iterations
  const Participation participation = simulate_and_explain(scenario).runs[0].participation;
  CHECK(participation.details->operations == 0);
  CHECK_FALSE(participation.mean_active_workers.has_value());
}

TEST_CASE("Algorithms whose workers run apart report participation and the iterations at the first end") {
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
  // The fast workers end 5 iterations of 30 ms at 150 ms, and in eager-SGD solo, with 8 ms for a sum in each,
  // at 190 ms. By then the slow worker has ended 2 and 3 iterations of 60 ms.
  for (const std::size_t run : {1U, 2U}) {
    const auto ended = result.runs[run].participation.details->iterations_at_first_end;
    CHECK(ended[2] == (run == 1 ? 3 : 2));
    for (const std::size_t rank : {0U, 1U, 3U})
      CHECK(ended[rank] >= 4);  // 5, or 4 if the last message is still on its way
    CHECK(*std::ranges::max_element(ended) == 5);
  }
}

TEST_CASE("Throughput is the sum of the rates of workers where they run apart") {
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
  // The slow worker counts fully in the mean iteration time, but it does only a tenth of the work.
  CHECK(*run.throughput_samples_per_s > 1.2 * 4 * 32 / run.iteration_time_s.mean);
  CHECK(*run.speedup == 1);
}

TEST_CASE("A worker that ends at the first end except for rounding has ended its last iteration") {
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
