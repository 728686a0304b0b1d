#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// The conditions under which algorithms are compared: all combinations of workers, ratios and variations.
struct RegimeStudy {
  std::string name;
  ScenarioDocument base;
  std::vector<int> workers;
  std::vector<double> ratios;      // of communication to compute time
  std::vector<double> variations;  // coefficients of variation of compute times
  std::string law = "gamma";       // distribution of compute times

  std::size_t points() const { return workers.size() * ratios.size() * variations.size(); }
};

/// Reads a study (`starling schema regimes`) and applies `overrides` to it. @throws ScenarioError if anything
/// in it is wrong, or the map has only one point; the scenarios of the points are not read yet.
RegimeStudy read_regimes(const std::filesystem::path& file, const std::vector<std::string>& overrides);

}  // namespace starling
