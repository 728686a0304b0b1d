#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// Simulates a scenario in a process of its own, by this program's `run`, and returns its result.json:
/// SimGrid can simulate one thing at a time in a process. `name` is the scenario's. @throws
/// std::runtime_error with what the process says if it fails.
nlohmann::json simulate_in_process(const ScenarioDocument& document, const std::string& name);

}  // namespace starling
