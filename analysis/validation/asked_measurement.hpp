#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/results/files/saved_result.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// What a measurement has to be of.
struct AskedMeasurement {
  nlohmann::json scenario;  // as read
  std::string of_files;     // by ScenarioHash, of what the files hold that it names
  std::vector<std::string> file_names;
  int repetitions = 1;
};

AskedMeasurement asked_measurement(const Scenario& scenario, int repetitions);

/// A finished measurement beside what is asked for; one sentence each.
struct MeasurementFit {
  std::vector<std::string> contradictions;  // it is another one
  std::vector<std::string> doubts;          // what it does not tell

  bool is_the_same() const { return contradictions.empty(); }
};

MeasurementFit fit_of(const SavedResult& measured, const AskedMeasurement& asked);

}  // namespace starling
