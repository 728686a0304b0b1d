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

/// An algorithm's iteration time by the model.
struct ModeledTime {
  Sampling sampling;
  Breakdown breakdown_s;
  ModelValidity validity = ModelValidity::exact;
  /// What the model assumes or leaves out, each as a clause.
  std::vector<std::string> reasons = {};
};

/// An algorithm of a scenario, by the model and simulated.
struct ModeledAlgorithm {
  std::string label;
  nlohmann::ordered_json algorithm;  // its block of the scenario, with facts found while it ran
  /// Absent where the algorithm has no recurrence.
  std::optional<ModeledTime> model = {};
  std::string reason_without_model = {};  // why it has none
  std::int64_t iterations = 0;            // counted, of both
  /// Absent where nothing is simulated.
  std::optional<Sampling> simulated = {};

  /// (model − simulation) / simulation; absent where one of them is absent, or the simulated time is 0.
  std::optional<double> difference() const;
};

struct ModelReport {
  std::string name;
  int workers = 0;
  std::string engine;
  std::int64_t warmup_iterations = 0;
  std::vector<ModeledAlgorithm> algorithms;
  /// Whether iterations are to go on until means are precise, and no simulation told how many that takes.
  bool is_cut_short = false;

  /// How many iterations each algorithm runs, warm-up included.
  std::vector<std::int64_t> iterations_of_each() const;
};

/// Predicts every algorithm of a scenario and, if `simulates`, simulates it under the same draws. Learning is
/// left out: no time depends on it. Bucket sizes that are searched for are those that the simulation finds,
/// or the model where nothing is simulated. Where iterations go on until means are precise, there are as many
/// as the simulation needs; without a simulation, as many as it would begin with.
///
/// @throws ScenarioError as ScenarioJob does, and for several jobs.
ModelReport model_report(Scenario scenario, bool simulates, const RunObservers& observers = {});

}  // namespace starling
