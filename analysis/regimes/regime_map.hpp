#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/regimes/regime_study.hpp"
#include "analysis/regimes/regime_time.hpp"
#include "analysis/running/scenario_job.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// A point of a map: its conditions, and how long every algorithm takes under them.
struct RegimePoint {
  int workers = 0;
  double ratio = 0;      // of communication to compute time
  double variation = 0;  // coefficient of variation of compute times
  double compute_s = 0;  // forward and backward passes of an undisturbed iteration
  std::vector<RegimeTime> algorithms = {};
  /// Indices of the fastest and the second fastest algorithm: by simulated times if there are any, else by
  /// those of the model.
  std::size_t fastest = 0;
  std::size_t second = 0;
  std::size_t fastest_by_model = 0;  // equal to `fastest` if the model has no times
  bool is_simulated = false;
  bool is_random = false;  // whether iteration times depend on random draws

  /// The time of an algorithm that counts: simulated if there is one, else by the model.
  const Sampling& time(std::size_t algorithm) const;
  /// The time of the second over that of the fastest, minus 1.
  double gain() const { return time(second).mean_s.value / time(fastest).mean_s.value - 1; }
  /// Whether the fastest is significantly faster than the second (at 95 % confidence), by times that are
  /// simulated or exact, or by a lower bound of the second's. False if times are random and have no known
  /// error.
  bool is_decided() const;
  /// Whether both times of the gain are simulated or exact.
  bool is_gain_sure() const;
};

/// Times and fastest algorithms at all points of a study.
struct RegimeMap {
  std::string engine;
  std::vector<std::string> algorithms;  // labels
  std::vector<RegimePoint> points;      // by workers, then by variation, then by ratio, which varies fastest
};

/// How a map is made.
struct MapOptions {
  int jobs = 1;  // the most points that are worked on at the same time; @see points_at_once
  /// A file that keeps times as soon as they are known; those that it has are not computed again. @see
  /// KeptPoints
  std::optional<std::filesystem::path> kept_in = {};
  OptionalProgress progress = {};
  /// Called once with each warning that counted iterations are not a whole number of an algorithm's periods.
  std::function<void(const std::string& warning)> of_partial_periods = {};
};

/// How many points of a map are worked on at once: at most `jobs`, at most as many as fit into memory, and
/// one under the engine simgrid. Calls `of_partial_periods` as MapOptions describes. @throws ScenarioError as
/// map_regimes(), and if a single point does not fit into memory.
int points_at_once(const RegimeStudy& study, int jobs,
                   const std::function<void(const std::string& warning)>& of_partial_periods = {});

/// Predicts all points by the model. Then simulates the points on a border, where a neighboring point has
/// another fastest algorithm, and those that the model leaves open: an algorithm has no model, or its time is
/// an estimate or a lower bound that is not clearly above the least exact time. As a simulation may move a
/// border, this is repeated until all points on borders are simulated. @throws ScenarioError if a scenario
/// cannot be made, or none of its algorithms has a model; std::system_error if the file cannot be written.
RegimeMap map_regimes(const RegimeStudy& study, const MapOptions& options = {});

/// @throws ScenarioError if none of the job's algorithms has a model.
void refuse_without_models(const ScenarioJob& job);

}  // namespace starling
