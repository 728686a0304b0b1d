#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace starling {

/// The JSON Schema of scenarios, from the descriptions of all options, those of all registered algorithms
/// among them; scenarios/schema/scenario.schema.json is that of Starling's own.
nlohmann::ordered_json scenario_schema();
std::string scenario_schema_text();

/// A text in which every table between "<!-- generated: NAME -->" and "<!-- end of NAME -->" is written from
/// the descriptions of options. It must have each of them: scenario, cluster, networks, … graphs, as
/// scenarios/reference.md does.
std::string with_option_tables(std::string text);

}  // namespace starling
