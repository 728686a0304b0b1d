#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace starling {

/// The JSON Schema of scenarios: scenarios/schema/scenario.schema.json, where the definitions of quantities
/// and algorithms, and of what algorithms have in them, are written from the descriptions of all registered
/// algorithms.
/// @throws ScenarioError if the file cannot be read.
nlohmann::ordered_json scenario_schema();
std::string scenario_schema_text();

/// A text in which every table between "<!-- generated: NAME -->" and "<!-- end of NAME -->" is written from
/// the descriptions of options; the names are algorithms and graphs.
std::string with_option_tables(std::string text);

}  // namespace starling
