#pragma once

#include <nlohmann/json.hpp>

namespace starling {

/// A published algorithm, renamed to what scenarios call it. @throws NotComparable for one that Starling does
/// not have, or an option of it.
nlohmann::json scenario_algorithm(const nlohmann::json& published);

}  // namespace starling
