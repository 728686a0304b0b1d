#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// A small scenario that is right; tests change it.
extern const std::string base_scenario;

/// The base scenario with changes such as "/cluster/workers=0" and "remove /cluster/network".
nlohmann::json changed_scenario(const std::vector<std::string>& changes);

/// Scenarios that are right, as changes to the base scenario. Together they have every key and every kind
/// there is.
const std::vector<std::vector<std::string>>& good_scenarios();

/// A profile of the base scenario's model, and a trace of compute times for its workers: good scenarios name
/// them profile.json and trace.csv.
extern const std::string base_profile;
extern const std::string base_trace;

}  // namespace starling
