#include "analysis/results/replications.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/errors.hpp"

namespace starling {
namespace {

/// The runs of one algorithm, one for each seed.
using Runs = std::vector<const RunResult*>;

template <typename Figure>
double mean_of(const Runs& runs, const Figure& figure) {
  double sum = 0;
  for (const RunResult* run : runs) sum += figure(*run);
  return sum / static_cast<double>(runs.size());
}

IterationTime iteration_time_of(const Runs& runs) {
  IterationTime all;
  for (double IterationTime::*member :
       {&IterationTime::mean, &IterationTime::p5, &IterationTime::p50, &IterationTime::p95})
    all.*member = mean_of(runs, [&](const RunResult& run) { return run.iteration_time_s.*member; });
  const double variance = mean_of(runs, [&](const RunResult& run) {
    return std::pow(run.iteration_time_s.std, 2) + std::pow(run.iteration_time_s.mean - all.mean, 2);
  });
  all.std = std::sqrt(variance);
  all.min = runs.front()->iteration_time_s.min;
  for (const RunResult* run : runs) {
    all.min = std::min(all.min, run->iteration_time_s.min);
    all.max = std::max(all.max, run->iteration_time_s.max);
  }
  return all;
}

Breakdown breakdown_of(const Runs& runs) {
  Breakdown all;
  for (const BreakdownPart& part : breakdown_parts)
    all.*part.seconds = mean_of(runs, [&](const RunResult& run) { return run.breakdown_s.*part.seconds; });
  return all;
}

std::uint64_t rounded(double count) { return static_cast<std::uint64_t>(std::llround(count)); }

Traffic traffic_of(const Runs& runs) {
  const auto mean_count = [&](std::optional<std::uint64_t> Traffic::*member) {
    return rounded(mean_of(
        runs, [&](const RunResult& run) { return static_cast<double>((run.traffic.*member).value_or(0)); }));
  };
  Traffic all{.messages = rounded(mean_of(
                  runs, [](const RunResult& run) { return static_cast<double>(run.traffic.messages); })),
              .bytes = mean_of(runs, [](const RunResult& run) { return run.traffic.bytes; }),
              .bytes_per_worker_per_iteration = mean_of(
                  runs, [](const RunResult& run) { return run.traffic.bytes_per_worker_per_iteration; })};
  if (runs.front()->traffic.rendezvous_messages)
    all.rendezvous_messages = mean_count(&Traffic::rendezvous_messages);
  if (runs.front()->traffic.evaluated_messages)
    all.evaluated_messages = mean_count(&Traffic::evaluated_messages);
  return all;
}

/// The harmonic mean of the runs' throughputs, in which each run has equally many samples.
std::optional<double> throughput_of(const Runs& runs) {
  std::vector<double> rates;
  for (const RunResult* run : runs)
    if (run->throughput_samples_per_s) rates.push_back(*run->throughput_samples_per_s);
  if (rates.size() < runs.size()) return std::nullopt;
  return harmonic_mean(rates);
}

/// The mean over seeds and its error, from the seeds' means. Without an error where other than whole periods
/// are counted, or iteration times still drift: that makes all of these means too great or too small alike.
Sampling sampling_of_seeds(const Runs& runs) {
  Sampling sampling{.mean_s = {}, .sample_s = {.values = {}, .are_independent = true}};
  for (const RunResult* run : runs) sampling.sample_s.values.push_back(run->iteration_time_s.mean);
  sampling.mean_s = mean_of_series(sampling.sample_s);
  const auto drifting =
      std::ranges::find_if(runs, [](const RunResult* run) { return run->sampling.drift_s.has_value(); });
  if (drifting != runs.end()) sampling.drift_s = (*drifting)->sampling.drift_s;
  const auto is_partial = [](const RunResult* run) {
    return is_of_partial_periods(run->iterations, run->pattern_period);
  };
  if (!sampling.drift_s && !std::ranges::any_of(runs, is_partial)) return sampling;
  return {.mean_s = {.value = sampling.mean_s.value}, .sample_s = {}, .drift_s = sampling.drift_s};
}

RunResult combined(const Runs& runs, std::span<const std::uint64_t> seeds) {
  RunResult all = *runs.front();
  all.replications.clear();
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.replications.push_back(
        {.seed = seeds[i], .mean_s = runs[i]->iteration_time_s.mean, .iterations = runs[i]->iterations});
  all.iteration_time_s = iteration_time_of(runs);
  all.iterations =
      std::llround(mean_of(runs, [](const RunResult& run) { return static_cast<double>(run.iterations); }));
  all.breakdown_s = breakdown_of(runs);
  all.traffic = traffic_of(runs);
  all.makespan_s = mean_of(runs, [](const RunResult& run) { return run.makespan_s; });
  all.throughput_samples_per_s = throughput_of(runs);
  all.sampling = sampling_of_seeds(runs);
  all.speedup.reset();
  all.speedup_interval_95.reset();
  return all;
}

}  // namespace

Result combine_replications(std::span<const Result> results, std::span<const std::uint64_t> seeds) {
  STARLING_INVARIANT(!results.empty() && results.size() == seeds.size());
  Result all = results.front();
  if (results.size() == 1) return all;
  all.runs.clear();
  for (std::size_t i = 0; i < results.back().runs.size(); ++i) {
    Runs runs;
    for (const Result& result : results) runs.push_back(&result.runs.at(i));
    all.runs.push_back(combined(runs, seeds));
    compare_with_first(i == 0 ? all.runs.back() : all.runs.front(), all.runs.back());
  }
  all.simulation.wall_s = 0;
  all.simulation.events = 0;
  for (const Result& result : results) {
    all.simulation.wall_s += result.simulation.wall_s;
    all.simulation.events += result.simulation.events;
    all.simulation.peak_memory_bytes =
        std::max(all.simulation.peak_memory_bytes, result.simulation.peak_memory_bytes);
  }
  return all;
}

}  // namespace starling
