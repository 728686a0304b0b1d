#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// Under which conditions algorithms are compared: all of the first with all of the others.
struct RegimeStudy {
  std::string name;
  ScenarioDocument base;
  std::vector<int> workers;
  std::vector<double> ratios;      // communication to compute
  std::vector<double> variations;  // coefficients of variation of compute times
  std::string law = "gamma";       // of these

  std::size_t points() const { return workers.size() * ratios.size() * variations.size(); }
};

/// Reads a study (`starling schema regimes`); `overrides` are of the study. @throws ScenarioError for
/// anything that does not fit, or a map of one point; scenarios are not made yet.
RegimeStudy read_regimes(const std::filesystem::path& file, const std::vector<std::string>& overrides);

}  // namespace starling
