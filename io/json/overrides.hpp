#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace starling {

/// A change of one value of a document, given on the command line as `/json/pointer=VALUE`.
struct Override {
  std::string option;             // as typed
  std::vector<std::string> keys;  // of the pointer
  std::string value;              // JSON; otherwise taken as a string
  std::string given_by;           // the command-line option that gave it
};

/// Parses an override. @throws ScenarioError, which names the option, if it is malformed.
Override parse_override(const std::string& option, const std::string& given_by = "--set");

/// What errors call an override: "--set /json/pointer=VALUE".
std::string name_of(const Override& change);

/// Parses a value as JSON; anything that is not valid JSON is a string, so that quantities need no quotes.
/// Errors call it `name`.
nlohmann::json json_or_text(const std::string& value, const std::string& name);

/// Sets the value in the document. Missing keys of objects are created. An element of a list must exist, or
/// be `-`, which appends one. Returns the override with each `-` replaced by the index of the appended
/// element.
/// @throws ScenarioError, which names the option, if the path cannot be followed.
Override apply_override(nlohmann::json& document, Override change);

/// Whether a JSON pointer refers to the value that the override set, or to a part of it.
bool concerns(const Override& change, const std::string& pointer);
/// Whether the override may have created the value at `pointer`, because it sets something inside that value.
bool may_have_made(const Override& change, const std::string& pointer);

}  // namespace starling
