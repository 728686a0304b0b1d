#include "analysis/studies/sweep_estimate.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <set>

#include "analysis/demand/demand.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/studies/sweep_executor.hpp"

namespace starling {
namespace {

/// Sums over the samples that were measured.
struct Measured {
  double sum_s = 0;
  double least_s = std::numeric_limits<double>::infinity();
  int count = 0;
  /// Measured and estimated time of those samples that have an estimate.
  double known_s = 0;
  double estimated_s = 0;

  explicit Measured(std::span<const SampledRun> runs) {
    for (const SampledRun& run : runs)
      if (run.measured_s) add(*run.measured_s, run.estimated_s);
  }

  /// The time of a sample that was not measured.
  double expected_s(double of_estimated_s) const {
    if (count == 0) return of_estimated_s;
    if (of_estimated_s == 0) return sum_s / count;
    const double factor = estimated_s > 0 ? known_s / estimated_s : 1;
    return std::max(least_s, factor * of_estimated_s);
  }

 private:
  void add(double measured_s, double of_estimated_s) {
    sum_s += measured_s;
    least_s = std::min(least_s, measured_s);
    ++count;
    if (of_estimated_s > 0) known_s += measured_s;
    estimated_s += of_estimated_s;
  }
};

/// At most `most` combinations, evenly spaced, of a shard that has `count`.
std::vector<std::int64_t> sampled_combinations(const SweepPlan& plan, const SweepOptions& options,
                                               std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  const CombinationSource source = combinations_of(plan, options);
  std::int64_t next = 0;
  for (const std::int64_t number : spread_over(count, most)) {
    while (next < number && source()) ++next;
    if (const auto combination = source()) chosen.push_back(*combination);
    ++next;
  }
  return chosen;
}

/// The rough estimate of how long a run of a combination takes; 0 for a scenario of several jobs, and for one
/// that cannot be read.
double estimated_time_s(const SweepPlan& plan, std::int64_t combination) {
  try {
    const Scenario scenario = read_scenario(plan.document(combination, 0));
    if (!scenario.jobs.empty()) return 0;
    const ExactRuns exact_runs;
    return demand_of(ScenarioJob(scenario), {.evaluator = &exact_runs}).estimate.time_s;
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace

std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  const std::int64_t number = std::min(count, most);
  for (std::int64_t i = 0; i < number; ++i)
    chosen.push_back(number == 1 ? 0 : i * (count - 1) / (number - 1));
  return chosen;
}

std::vector<std::size_t> to_measure(std::span<const SampledRun> runs, double most_s) {
  if (runs.empty()) return {};
  const auto longest = std::ranges::max_element(runs, {}, &SampledRun::estimated_s);
  std::set<std::size_t> chosen{0, runs.size() / 2, runs.size() - 1,
                               static_cast<std::size_t>(longest - runs.begin())};
  std::erase_if(chosen, [&](std::size_t number) { return runs[number].estimated_s > most_s; });
  return {chosen.begin(), chosen.end()};
}

double mean_time_s(std::span<const SampledRun> runs) {
  if (runs.empty()) return 0;
  const Measured measured(runs);
  double sum_s = 0;
  for (const SampledRun& run : runs)
    sum_s += run.measured_s ? *run.measured_s : measured.expected_s(run.estimated_s);
  return sum_s / static_cast<double>(runs.size());
}

double time_of_runs_s(const SweepPlan& plan, const SweepOptions& options) {
  constexpr std::int64_t most_looked_at = 64;
  constexpr double longest_measured_s = 60;
  const std::int64_t runs = planned(plan, options).done;
  const std::vector<std::int64_t> combinations =
      sampled_combinations(plan, options, runs / plan.seeds(), most_looked_at);
  std::vector<SampledRun> samples;
  for (const std::int64_t combination : combinations)
    samples.push_back({.estimated_s = estimated_time_s(plan, combination)});
  SweepExecutor executor(plan, {}, {}, 1, options.run_limit);
  for (const std::size_t number : to_measure(samples, longest_measured_s)) {
    const SweepRun run = executor.execute({combinations[number], 0}).run;
    // A run that fails early says nothing about the time of others; one that ends at the limit does.
    if (run.is_done() || run.wall_s >= samples[number].estimated_s) samples[number].measured_s = run.wall_s;
  }
  return static_cast<double>(runs) * mean_time_s(samples);
}

}  // namespace starling
