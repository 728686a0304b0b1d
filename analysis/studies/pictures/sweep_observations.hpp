#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// What a picture of a sweep shows. A dimension is a varied JSON pointer, or "algorithm".
struct SweepPlotOptions {
  std::string x;                          // dimension across
  std::string y = "iteration_time_s";     // name of a figure (sweep_figures())
  std::string color = "algorithm";        // dimension with a curve for each value
  std::optional<std::string> facet = {};  // dimension with a panel for each value
  std::vector<std::string> where = {};    // conditions on points: /json/pointer=VALUE, or algorithm=LABEL
};

inline constexpr std::string_view algorithm_dimension = "algorithm";

/// The figure of an algorithm in a combination.
struct Observation {
  std::map<std::string, nlohmann::json> values;  // by dimension
  SampleEstimate figure;
};

/// A dimension, and the text of its value.
using SweepCondition = std::pair<std::string, std::string>;

/// The points of a picture of a sweep, and their names.
struct SweepObservations {
  std::string scenario;  // its name
  SweepFigure figure;
  std::map<std::string, std::string> names;     // of dimensions, as shown
  std::vector<SweepCondition> conditions = {};  // that all points meet
  std::vector<Observation> points = {};         // at least one
  /// About points that are left out because some of their runs lack the figure; empty if there are none.
  std::string warning = {};
};

/// Reads the points of a picture from a store. @throws ScenarioError that names the option if a dimension, a
/// figure or a value does not exist, or a dimension that is not shown varies among the points; and if no run
/// has ended yet.
SweepObservations observe(const SweepStore& store, const SweepPlotOptions& options);

}  // namespace starling
