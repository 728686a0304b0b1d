#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/io/scratch_folder.hpp"

namespace starling {

/// A small valid scenario, the base scenario, which tests change.
extern const std::string base_scenario;

/// The base scenario with changes such as "/cluster/workers=0" and "remove /cluster/network".
nlohmann::json changed_scenario(const std::vector<std::string>& changes);

/// Scenarios that are right, as changes to the base scenario. Together they have every key and every kind
/// there is.
const std::vector<std::vector<std::string>>& good_scenarios();

/// The only good scenario whose changes contain this text.
const std::vector<std::string>& good_scenario_with(std::string_view text);

/// Writes the files that good scenarios name.
void write_named_files(const ScratchFolder& folder);

}  // namespace starling
