#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace starling {

/// A value of a document, changed from the command line: `/json/pointer=VALUE`.
struct Override {
  std::string option;             // as typed
  std::vector<std::string> keys;  // of the pointer
  std::string value;              // JSON, or else a text
  std::string given_by;           // the option before it
};

/// Takes an override apart. @throws ScenarioError that names the option if it is not of that form.
Override parse_override(const std::string& option, const std::string& given_by = "--set");

/// What errors call it.
std::string name_of(const Override& change);

/// JSON, or else a text, so that quantities need no quotes. `name` is what errors call it.
nlohmann::json json_or_text(const std::string& value, const std::string& name);

/// Puts the value into the document. Missing keys of objects are created; an element of a list must be there,
/// or be `-`, which appends one. Returns the override with the number of each such element among its keys.
/// @throws ScenarioError that names the option.
Override apply_override(nlohmann::json& document, Override change);

/// Whether a JSON pointer leads into what the override changed.
bool concerns(const Override& change, const std::string& pointer);
/// Whether the override may have created the value at `pointer`, because it sets something inside that value.
bool may_have_made(const Override& change, const std::string& pointer);

}  // namespace starling
