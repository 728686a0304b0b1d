#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace starling {

/// Reads, checks and completes a scenario. Each override is `/json/pointer=VALUE`, applied in order before
/// anything is checked. Files that the scenario names are found relative to it. @throws ScenarioError if
/// anything is wrong.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

}  // namespace starling
