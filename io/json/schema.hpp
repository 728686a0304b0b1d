#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace starling {

/// The text of a JSON Schema (draft 7) shipped with Starling, by the name that `starling schema` uses, such
/// as "scenario".
/// @throws ScenarioError if its file cannot be read.
std::string schema_text(std::string_view name);

/// Checks a document against a schema. It should run after the readers, whose errors are more precise. Errors
/// call the document `file`. @throws ScenarioError with the first violation.
void validate_against_schema(const nlohmann::json& document, std::string_view schema_name,
                             const std::string& file);

}  // namespace starling
