#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/result.hpp"

namespace starling {

/// The contents of result.json, with keys in a fixed order. `scenario_hash`: by ScenarioHash, empty where it
/// is unknown; `scenario_folder`: the folder of the files that the scenario names by relative paths, relative
/// to the result's folder.
/// @throws InvariantError for a number that is not finite, which JSON cannot hold.
nlohmann::ordered_json result_json(const Result& result, const std::string& scenario_hash = {},
                                   const std::string& scenario_folder = {});

/// The block of one run.
nlohmann::ordered_json run_json(const RunResult& run);

/// result_json() as text: indented, numbers in the fewest digits that read back to the same number. The same
/// result gives the same bytes.
std::string result_json_text(const Result& result, const std::string& scenario_hash = {},
                             const std::string& scenario_folder = {});

}  // namespace starling
