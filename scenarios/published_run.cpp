#include "scenarios/published_run.hpp"

#include <algorithm>
#include <vector>

#include "scenarios/algorithm_reader.hpp"
#include "scenarios/batch_means.hpp"
#include "scenarios/runner.hpp"
#include "scenarios/scenario_reader.hpp"

namespace starling {

namespace {

/// Of every counted iteration, the mean duration over workers.
std::vector<double> durations_s(const IterationLog& log, std::int64_t warmup_iterations) {
  const auto first = static_cast<std::size_t>(warmup_iterations);
  std::vector<double> durations(log.of(0).size() - first, 0);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const auto& records = log.of(rank);
    for (std::size_t i = first; i < records.size(); ++i) {
      const double start_s = i == 0 ? 0 : records[i - 1].end_s;
      durations[i - first] += (records[i].end_s - start_s) / log.workers();
    }
  }
  return durations;
}

double relative(double error, double mean) { return mean > 0 ? error / mean : 0; }

RunFigures figures_of(const Scenario& scenario) {
  double standard_error_s = 0;
  const auto run_finished = [&](const Result&, const IterationLog& log) {
    standard_error_s = batch_means(durations_s(log, scenario.warmup_iterations)).standard_error;
  };
  const Result result = simulate(scenario, {.run_finished = run_finished});
  const RunResult& run = result.runs.front();
  return {.mean_s = run.iteration_time_s.mean,
          .median_s = run.iteration_time_s.p50,
          .relative_error = relative(standard_error_s, run.iteration_time_s.mean),
          .mean_active_workers = run.participation.mean_active_workers};
}

RunFigures figures_of(const CollectiveLatencyOptions& options) {
  const CollectiveLatency latency = measure_collective_latency(options);
  return {.mean_s = latency.mean_s,
          .median_s = 0,
          .relative_error = relative(latency.standard_error_s, latency.mean_s),
          .mean_active_workers = latency.mean_active_workers};
}

CollectiveLatencyOptions read_benchmark(const nlohmann::json& document, const std::filesystem::path& file) {
  std::vector<std::string> warnings;
  CollectiveLatencyOptions options;
  options.cluster =
      read_cluster(JsonPlace(document.at("cluster"), file.string(), "/cluster"), warnings).value;
  const auto algorithms = nlohmann::json::array({document.at("algorithm")});
  const ClusterOptions& cluster = options.cluster.options;
  const bool even = cluster.workers % cluster.workers_per_host == 0;
  options.seed = document.at("seed").get<std::uint64_t>();
  const auto algorithm = read_algorithms(JsonPlace(algorithms, file.string(), "/algorithms"),
                                         {.workers_are_even = even, .seed = options.seed}, warnings)
                             .front();
  options.kind = algorithm.as_read.at("kind").get<std::string>();
  options.collective = algorithm.as_read.at("collective").get<std::string>();
  options.message_bytes = document.at("message_bytes").get<std::int64_t>();
  options.operations = document.at("operations").get<std::int64_t>();
  options.first_delay_s = document.at("first_delay").get<double>();
  options.delay_step_s = document.at("delay_step").get<double>();
  return options;
}

}  // namespace

PublishedRun read_published_run(const nlohmann::json& document, const std::filesystem::path& file) {
  if (document.contains("benchmark")) return read_benchmark(document, file);
  return read_scenario_document(document, file);
}

RunFigures execute(const PublishedRun& run) {
  return std::visit([](const auto& work) { return figures_of(work); }, run);
}

std::int64_t size_of(const PublishedRun& run) {
  if (const auto* scenario = std::get_if<Scenario>(&run))
    return scenario->iterations * scenario->cluster.workers;
  const auto& benchmark = std::get<CollectiveLatencyOptions>(run);
  return benchmark.operations * benchmark.cluster.options.workers;
}

}  // namespace starling
