#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace starling {

/// The text of a JSON Schema (draft 7) that comes with Starling, by its name: one of those that `starling
/// schema` prints, "scenario" for one.
/// @throws ScenarioError if its file cannot be read.
std::string schema_text(std::string_view name);

/// Checks a document against a schema. Readers say more precisely what is wrong with a value, so this runs
/// after them. `file` is what errors call the document. @throws ScenarioError with the first violation.
void validate_against_schema(const nlohmann::json& document, std::string_view schema_name,
                             const std::string& file);

}  // namespace starling
