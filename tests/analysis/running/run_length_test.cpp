#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

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

TEST_CASE("The drift of fast falling iterations ends at 0 at the least, though the fitted line goes below") {
  Scenario scenario = small_scenario();
  scenario.iterations = 11;
  add_algorithm(scenario, AllreduceOptions{});
  const ScenarioJob job(scenario);
  IterationLog log(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    double end_s = 0;
    for (const double duration_s : {1.0, 10.0, 7.0, 5.0, 3.5, 2.5, 1.7, 1.2, 0.8, 0.6, 0.4}) {
      end_s += duration_s;
      log.add(rank, {.end_s = end_s});
    }
  }
  const std::optional<Drift> drift_s = sampling_of(job, 0, log).drift_s;
  REQUIRE(drift_s);
  // The ten counted durations have the mean 3.27 and the slope −79.95/82.5.
  CHECK(drift_s->first == about(3.27 + 4.5 * 79.95 / 82.5));
  CHECK(drift_s->last == 0);
}

TEST_CASE("A run continues until its mean has the wanted precision, or to its most iterations") {
  Scenario scenario = small_scenario();
  scenario.iterations = 20;
  scenario.warmup_iterations = 2;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  scenario.precision = WantedPrecision{.standard_error = 0.005, .most_iterations = 100'000};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 4}, "local");
  const Result result = simulate_and_explain(scenario);
  for (const RunResult& run : result.runs) {
    CAPTURE(run.label);
    CHECK(run.iterations > 18);
    CHECK(run.sampling.mean_s.standard_error <= 0.005 * run.iteration_time_s.mean);
    CHECK(run.sampling.mean_s.value == about(run.iteration_time_s.mean, rounding));
    CHECK(sum_of(run.breakdown_s) == about(run.iteration_time_s.mean, rounding));
  }
  CHECK(result.runs[1].iterations % 4 == 0);
  // The result equals that of a run with this number of iterations from the start.
  Scenario fixed = scenario;
  fixed.precision.reset();
  fixed.iterations = result.runs[0].iterations + 2;
  CHECK(simulate_and_explain(fixed).runs[0].iteration_time_s.mean == result.runs[0].iteration_time_s.mean);

  scenario.precision->most_iterations = 40;
  const Result short_result = simulate_and_explain(scenario);
  CHECK(short_result.runs[0].iterations == 38);
  CHECK(short_result.runs[1].iterations == 36);  // nine periods
}

TEST_CASE("A mean of other than whole periods has no error, and no speed-up over it has one") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 4});
  const auto run_of = [&](std::int64_t counted) {
    scenario.iterations = scenario.warmup_iterations + counted;
    const Result result = simulate(scenario);
    CHECK(result.runs[0].sampling.mean_s.has_error());
    return result.runs[1];
  };
  CHECK(run_of(40).sampling.mean_s.has_error());
  CHECK(run_of(40).speedup_interval_95.has_value());
  for (const std::int64_t partial : {39, 41, 42}) {
    const RunResult run = run_of(partial);
    CHECK_FALSE(run.sampling.mean_s.has_error());
    CHECK(run.sampling.mean_s.value == about(run.iteration_time_s.mean));
    CHECK_FALSE(run.speedup_interval_95.has_value());
  }
  CHECK(run_of(402).sampling.mean_s.has_error());  // a partial period among a hundred changes little
}

TEST_CASE("A run with rare delays continues for the three least batches that an error needs") {
  Scenario scenario = small_scenario();
  scenario.iterations = 20;
  scenario.warmup_iterations = 2;
  scenario.imbalance = {IndependentDelay{.probability = 0.002, .delay_s = 1}};
  scenario.precision = WantedPrecision{.standard_error = 0.2, .most_iterations = 100'000};
  add_algorithm(scenario, AllreduceOptions{});
  const std::int64_t needed = 3 * least_batch(scenario.imbalance, scenario.cluster.workers);
  CHECK(simulate(scenario).runs[0].iterations == needed);
  scenario.precision.reset();
  CHECK_FALSE(simulate(scenario).runs[0].sampling.mean_s.has_error());
}

TEST_CASE("A run without randomness ends after its first iterations, with an error of 0") {
  Scenario scenario = small_scenario();
  scenario.precision = WantedPrecision{.standard_error = 1e-6, .most_iterations = 100'000};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 2});
  const Result result = simulate_and_explain(scenario);
  CHECK(result.runs[0].iterations == 4);
  CHECK(result.runs[0].sampling.mean_s.standard_error == 0);
  // Two periods are too few for an error, so that the run continues.
  CHECK(result.runs[1].iterations > 4);
  CHECK(result.runs[1].sampling.mean_s.standard_error == 0);
}

TEST_CASE("A run with a wanted precision counts as many whole periods as its most iterations allow") {
  Scenario scenario = small_scenario();
  scenario.iterations = 25;
  scenario.warmup_iterations = 2;
  scenario.precision = WantedPrecision{.standard_error = 0.5, .most_iterations = 30};
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 7});
  const RunResult whole = simulate(scenario).runs[0];
  CHECK(whole.iterations == 28);
  CHECK_FALSE(is_of_partial_periods(whole.iterations, whole.pattern_period));
  scenario.precision->most_iterations = 29;
  CHECK(simulate(scenario).runs[0].iterations == 21);
}

TEST_CASE("A run with a wanted precision counts whole periods from the start") {
  Scenario scenario = small_scenario();
  scenario.iterations = 25;
  scenario.warmup_iterations = 2;
  scenario.precision = WantedPrecision{.standard_error = 0.5, .most_iterations = 100'000};
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 4});
  CHECK(simulate(scenario).runs[0].iterations ==
        24);  // 23, a partial period, would have no error and need many more iterations
}

}  // namespace
}  // namespace starling
