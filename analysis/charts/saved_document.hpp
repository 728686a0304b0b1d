#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/files/saved_result.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

/// Calls `read` with the JSON of a file, in which what is at the pointer `list` is a list that has elements.
/// @throws ScenarioError that names the file and what it should be ("what starling design writes") if it is
/// no JSON, the list is none, or `read` misses something in it, and also the version that wrote it, if that
/// is another one.
template <typename Read>
auto read_saved(const std::filesystem::path& file, const std::string& expected, const std::string& list,
                const Read& read) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  const nlohmann::json found = value_at(document, list);
  const bool is_there = document.contains(nlohmann::json::json_pointer(list));
  if (is_there && (!found.is_array() || found.empty()))
    throw ScenarioError({file.string(), list, "is no list with something in it", found.dump(), expected});
  return naming_version(document,
                        [&] { return naming_file(file, expected, [&] { return read(document); }); });
}

/// Why what is saved beside a result is no part of its report: it says itself that it is of another scenario;
/// empty where it does not.
inline std::string why_left_out(const nlohmann::json& document, const std::filesystem::path& file,
                                const SavedResult& result) {
  const nlohmann::json own = value_at(document, "/scenario_hash");
  const nlohmann::json of_result = value_at(result.document, "/scenario_hash");
  if (own.is_null() || of_result.is_null() || own == of_result) return "";
  return file.filename().string() +
         " here is left out: it is of another scenario than the result, of other files that this names, or "
         "by another version.";
}

}  // namespace starling
