#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/results/files/saved_result.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// The scenario, files and repetitions that a measurement must be of.
struct RequiredMeasurement {
  nlohmann::json scenario;  // as read
  std::string of_files;     // by ScenarioHash, of the contents of the files that it names
  std::vector<std::string> file_names;
  int repetitions = 1;
};

RequiredMeasurement required_measurement(const Scenario& scenario, int repetitions);

/// How a finished measurement relates to the one asked for; one sentence each.
struct MeasurementFit {
  std::vector<std::string> contradictions;  // why it is another one
  std::vector<std::string> warnings;        // what cannot be told from it

  bool is_the_same() const { return contradictions.empty(); }
};

MeasurementFit fit_of(const SavedResult& measured, const RequiredMeasurement& asked);

}  // namespace starling
