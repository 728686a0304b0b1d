#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Reads, checks and completes a scenario. Each override is `/json/pointer=VALUE`, applied in order before
/// anything is checked. Files that the scenario names are found relative to it. @throws ScenarioError if
/// anything is wrong.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same for a scenario that is no file. Errors call it `file`, and files that it names are found relative
/// to that.
Scenario read_scenario_document(const nlohmann::json& document, const std::filesystem::path& file);

}  // namespace starling
