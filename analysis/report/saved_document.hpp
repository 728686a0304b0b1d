#pragma once

#include <fmt/format.h>

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
    const std::string text = error.what();  // "[json.exception.out_of_range.403] key 'points' not found"
    const std::size_t end_of_number = text.find("] ");
    const std::string reason = end_of_number == std::string::npos ? text : text.substr(end_of_number + 2);
    throw ScenarioError(
        {file.string(), "", fmt::format("not of the form that it should have: {}", reason), "", expected});
  }
}

}  // namespace starling
