#pragma once

#include <nlohmann/json.hpp>

namespace starling {

/// Prints an object as one line of JSON, with Starling's version as its first key.
void print_json_line(const nlohmann::ordered_json& object);

}  // namespace starling
