#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/runtime_model.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/results/result.hpp"
#include "analysis/running/run_observers.hpp"
#include "analysis/statistics/estimate.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// How long an algorithm's iterations take by the model.
struct ModeledTime {
  Sampling sampling;
  Breakdown breakdown_s;
  ModelValidity validity = ModelValidity::exact;
  /// What it takes for granted or leaves out.
  std::vector<std::string> reasons = {};
};

/// An algorithm of a scenario by the model, and simulated.
struct ModeledAlgorithm {
  std::string label;
  nlohmann::ordered_json algorithm;  // its block of the scenario, with what was found out about it
  /// Absent where there is none.
  std::optional<ModeledTime> model = {};
  std::string reason_without_model = {};  // why not
  std::int64_t iterations = 0;            // counted, of both
  /// Absent where nothing is simulated.
  std::optional<Sampling> simulated = {};

  /// How far the model is from the simulation, as a share of the simulation; absent where one of them is, or
  /// takes no time at all.
  std::optional<double> difference() const;
};

struct ModelReport {
  std::string name;
  int workers = 0;
  std::string engine;
  std::int64_t warmup_iterations = 0;
  std::vector<ModeledAlgorithm> algorithms;
  /// Whether iterations are to go on until means are known, and nothing was simulated that tells how long.
  bool is_cut_short = false;

  /// How many iterations each algorithm runs, warm-up included.
  std::vector<std::int64_t> iterations_of_each() const;
};

/// Predicts every algorithm of a scenario, and simulates it if that is wanted, under the same draws. What
/// models learn is left out: no time depends on it. Sizes of buckets that are searched for are those that the
/// simulation finds, or else the model. Where iterations go on until means are known, there are as many as
/// the simulation needs; without one, as many as it would begin with.
///
/// @throws ScenarioError as ScenarioJob does, and for several jobs.
ModelReport model_report(Scenario scenario, bool simulates, const RunObservers& observers = {});

}  // namespace starling
