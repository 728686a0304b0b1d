#pragma once

#include <string>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// A run whose iteration takes `mean_s` seconds: 0.1 s forward, 0.2 s backward, and the rest exposed
/// communication.
inline SavedRun saved_run(const std::string& label, double mean_s) {
  return {.label = label,
          .algorithm = {{"kind", label}},
          .workers = 4,
          .mean_s = mean_s,
          .breakdown_s = {.forward = 0.1, .backward = 0.2, .exposed_communication = mean_s - 0.3},
          .repetitions = {},
          .coefficient_of_variation = {}};
}

inline SavedRun measured_run(const std::string& label, double mean_s, double coefficient_of_variation) {
  SavedRun run = saved_run(label, mean_s);
  run.repetitions = 5;
  run.coefficient_of_variation = coefficient_of_variation;
  return run;
}

/// A result of four workers on a star of 25 MB/s links.
inline SavedResult saved_result(const std::string& engine, std::vector<SavedRun> runs) {
  const nlohmann::json link = {{"bandwidth", 25e6}, {"latency", 1e-4}};
  return {.file = engine + "/result.json",
          .scenario = {{"name", "small"},
                       {"seed", 1},
                       {"iterations", 10},
                       {"cluster", {{"workers", 4}, {"network", {{"kind", "star"}, {"link", link}}}}},
                       {"workload", {{"model", "resnet50"}, {"batch_size", 8}}}},
          .engine = engine,
          .runs = std::move(runs)};
}

}  // namespace starling
