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

/// Conditions, and how long every algorithm takes under them.
struct RegimePoint {
  int workers = 0;
  double ratio = 0;      // communication to compute
  double variation = 0;  // the coefficient of variation
  double compute_s = 0;  // forward and backward, undisturbed
  std::vector<RegimeTime> algorithms = {};
  /// Numbers of algorithms, by the simulation where there is one, or else by the model.
  std::size_t fastest = 0;
  std::size_t second = 0;
  std::size_t fastest_by_model = 0;  // the fastest, if the model has no time of any
  bool is_simulated = false;
  bool is_random = false;  // whether iterations may differ by chance

  /// What counts of an algorithm: simulated, or by the model.
  const Sampling& time(std::size_t algorithm) const;
  /// By how much the second takes longer, as a share of the fastest's time.
  double gain() const { return time(second).mean_s.value / time(fastest).mean_s.value - 1; }
  /// Whether the two differ by more than chance explains, and what says so is simulated, exact, or a lower
  /// bound of the second; not where chance has a part and nothing tells how great that is.
  bool is_decided() const;
  /// Whether the gain rests on what is simulated or exact, and on no estimate or lower bound.
  bool is_gain_sure() const;
};

struct RegimeMap {
  std::string engine;
  std::vector<std::string> algorithms;  // labels
  std::vector<RegimePoint> points;  // workers by workers, variation by variation, the ratio varying fastest
};

struct MapOptions {
  int jobs = 1;  // points at the same time at most; @see points_at_once
  /// A file that keeps what is found as it comes; what it has is not found again. @see KeptPoints
  std::optional<std::filesystem::path> kept_in = {};
  OptionalProgress progress = {};
  /// Told, once each, of algorithms of which other than whole periods are counted.
  std::function<void(const std::string& warning)> of_partial_periods = {};
};

/// How many points of a map are found at once: so many, but no more than there is memory for at once, and one
/// under the engine simgrid. Tells `of_partial_periods` what it is told in MapOptions.
/// @throws ScenarioError as map_regimes does, also where one alone does not fit.
int points_at_once(const RegimeStudy& study, int jobs,
                   const std::function<void(const std::string& warning)>& of_partial_periods = {});

/// Predicts all points by the model. Then simulates the points on a border (a neighboring point has another
/// fastest algorithm) and those that the model leaves open (an algorithm without a model, or with a lower
/// bound or an estimate that is not above the others, may be the fastest). A simulation may move a border;
/// repeats until all border points are simulated.
/// @throws ScenarioError if a scenario cannot be made, or none of its algorithms has a model;
/// std::system_error if the file cannot be written.
RegimeMap map_regimes(const RegimeStudy& study, const MapOptions& options = {});

/// @throws ScenarioError if none of the job's algorithms has a model.
void refuse_without_models(const ScenarioJob& job);

}  // namespace starling
