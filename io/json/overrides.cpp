#include "io/json/overrides.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/texts/number_in.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

using nlohmann::json;

namespace {

std::string pointer_of(const Override& change, std::size_t count) {
  std::string pointer;
  for (std::size_t i = 0; i < count; ++i) pointer = pointer_to(pointer, change.keys[i]);
  return pointer;
}

std::vector<std::string> keys_of(json::json_pointer pointer) {
  std::vector<std::string> keys;
  for (; !pointer.empty(); pointer.pop_back()) keys.push_back(pointer.back());
  std::ranges::reverse(keys);
  return keys;
}

json& element_of(json& list, const Override& change, std::size_t position) {
  const std::string& key = change.keys[position];
  if (key == "-") return list.emplace_back();
  const auto index = number_in<std::size_t>(key);
  const bool has_other_name =
      key.size() > 1 && key.starts_with('0');  // each element has one name only, as pointers are compared as
                                               // text
  if (!index || *index >= list.size() || has_other_name)
    throw ScenarioError(
        {name_of(change), pointer_of(change, position), "no such element of the list", key,
         list.empty() ? "- to append one" : fmt::format("0 to {}, or - to append one", list.size() - 1)});
  return list[*index];
}

json& child_of(json& parent, const Override& change, std::size_t position) {
  if (parent.is_array()) return element_of(parent, change, position);
  if (parent.is_object()) return parent[change.keys[position]];
  throw ScenarioError(
      {name_of(change), pointer_of(change, position), "has no keys", shown(parent), "an object or a list"});
}

}  // namespace

json json_or_text(const std::string& value, const std::string& name) {
  return json::accept(value) ? parse_json(value, name) : json(value);
}

std::string name_of(const Override& change) { return change.given_by + " " + change.option; }

Override parse_override(const std::string& option, const std::string& given_by) {
  Override change{.option = option, .keys = {}, .value = "", .given_by = given_by};
  const std::string form = "/json/pointer=VALUE";
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || option.front() != '/')
    throw ScenarioError({name_of(change), "", "not an override", "", form});

  change.value = option.substr(equals + 1);
  try {
    change.keys = keys_of(json::json_pointer(option.substr(0, equals)));
  } catch (const json::parse_error&) {  // as it begins with /, only an escape can be wrong
    throw ScenarioError({name_of(change), "", "not a JSON pointer", "", "~0 for ~ and ~1 for / in keys"});
  }
  if (change.keys.size() > deepest_nesting)
    throw ScenarioError(
        {name_of(change), "", "nested too deeply", "", fmt::format("at most {} levels", deepest_nesting)});
  return change;
}

Override apply_override(json& document, Override change) {
  json value = json_or_text(change.value, name_of(change));
  json* place = &document;
  for (std::size_t position = 0; position < change.keys.size(); ++position) {
    const json& parent = *place;
    std::string& key = change.keys[position];
    place = &child_of(*place, change, position);
    if (parent.is_array() && key == "-") key = fmt::format("{}", parent.size() - 1);
    const bool is_last = position + 1 == change.keys.size();
    if (place->is_null() && !is_last) *place = json::object();
  }
  *place = std::move(value);
  return change;
}

bool concerns(const Override& change, const std::string& pointer) {
  return is_at_or_below(pointer, pointer_of(change, change.keys.size()));
}

bool may_have_made(const Override& change, const std::string& pointer) {
  return pointer_of(change, change.keys.size()).starts_with(pointer + "/");
}

}  // namespace starling
