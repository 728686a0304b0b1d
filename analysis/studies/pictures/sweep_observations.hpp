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

/// What a picture of a sweep shows. Dimensions are a varied pointer or "algorithm".
struct SweepPlotOptions {
  std::string x;
  std::string y = "iteration_time_s";     // a figure
  std::string color = "algorithm";        // a curve for each of its values
  std::optional<std::string> facet = {};  // a part of the picture for each of its values
  std::vector<std::string> where = {};    // /json/pointer=VALUE, or algorithm=LABEL: only these
};

inline constexpr std::string_view algorithm_dimension = "algorithm";

/// What an algorithm achieved in a combination.
struct Observation {
  std::map<std::string, nlohmann::json> values;  // by dimension
  SampleEstimate figure;
};

/// A dimension, and the text of its value.
using SweepCondition = std::pair<std::string, std::string>;

/// What a picture of a sweep is drawn from.
struct SweepObservations {
  std::string scenario;  // what it is called
  SweepFigure figure;
  std::map<std::string, std::string> names;     // of dimensions, as they are shown
  std::vector<SweepCondition> conditions = {};  // only points that have these values are shown
  std::vector<Observation> points = {};         // at least one
  /// Of points that are left out, as runs of theirs have no such figure; empty without any.
  std::string warning = {};
};

/// @throws ScenarioError that names the option if a dimension, a figure or a value does not exist, or
/// something else varies as well; and if no run has ended yet.
SweepObservations observe(const SweepStore& store, const SweepPlotOptions& options);

}  // namespace starling
