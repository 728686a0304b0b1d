#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace starling {

/// The JSON Schema of scenarios, generated from the descriptions of all options, including those of all
/// registered algorithms. scenarios/schema/scenario.schema.json is the schema with Starling's own algorithms.
nlohmann::ordered_json scenario_schema();
std::string scenario_schema_text();

/// Returns `text` with every table between "<!-- generated: NAME -->" and "<!-- end of NAME -->" generated
/// from the descriptions of options. `text` must have all of these marks, as scenarios/reference.md does.
std::string with_option_tables(std::string text);

}  // namespace starling
