#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/results/files/saved_result.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {

/// Returns what `read` returns for the JSON of a file. A value at the pointer `list` must be a list with
/// elements. @throws ScenarioError that names the file and what it should be (`expected`: "what starling
/// design writes") if it is no JSON, that value is no such list, or `read` finds something missing; it also
/// names the version that wrote the file, if that is another one.
template <typename Read>
auto read_saved(const std::filesystem::path& file, const std::string& expected, const std::string& list,
                const Read& read) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  const nlohmann::json found = value_at(document, list);
  const bool is_there = document.contains(nlohmann::json::json_pointer(list));
  if (is_there && (!found.is_array() || found.empty()))
    throw ScenarioError({file.string(), list, "is not a non-empty list", found.dump(), expected});
  return naming_version(document,
                        [&] { return naming_file(file, expected, [&] { return read(document); }); });
}

/// Why a file beside a result is left out of the report: its scenario hash is another one than the result's;
/// empty if the hashes agree, or one is missing.
inline std::string why_left_out(const nlohmann::json& document, const std::filesystem::path& file,
                                const SavedResult& result) {
  const nlohmann::json own = value_at(document, "/scenario_hash");
  const nlohmann::json of_result = value_at(result.document, "/scenario_hash");
  if (own.is_null() || of_result.is_null() || own == of_result) return "";
  return file.filename().string() +
         " here is left out: it was made with another scenario than the result, different contents of its "
         "files, or another version.";
}

}  // namespace starling
