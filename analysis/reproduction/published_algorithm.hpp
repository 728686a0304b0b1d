#pragma once

#include <nlohmann/json.hpp>

namespace starling {

/// A published algorithm in the terms of scenarios. @throws NotComparable for an algorithm, or an option of
/// it, that Starling does not have.
nlohmann::json scenario_algorithm(const nlohmann::json& published);

}  // namespace starling
