#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The contents of result.json: keys in a fixed order. `scenario_hash`: of ScenarioHash, where it is known;
/// `scenario_folder`: where the files are that the scenario names by relative paths, seen from the result's
/// folder.
/// @throws InvariantError for a number that is not finite, which JSON cannot hold.
nlohmann::ordered_json result_json(const Result& result, const std::string& scenario_hash = {},
                                   const std::string& scenario_folder = {});

/// What it says of one run.
nlohmann::ordered_json run_json(const RunResult& run);

/// The same as text: indented, numbers in the fewest digits that read back to the same number. The same
/// result gives the same bytes.
std::string result_json_text(const Result& result, const std::string& scenario_hash = {},
                             const std::string& scenario_folder = {});

}  // namespace starling
