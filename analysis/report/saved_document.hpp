#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "io/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

/// Calls `read` with the JSON of a file. @throws ScenarioError that names the file and what it should be
/// ("what starling design writes") if it is no JSON, or `read` misses something in it.
template <typename Read>
auto read_saved(const std::filesystem::path& file, const std::string& expected, const Read& read) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  try {
    return read(document);
  } catch (const nlohmann::json::exception& error) {
    throw ScenarioError({file.string(), "", "not of the form that it should have", error.what(), expected});
  }
}

}  // namespace starling
