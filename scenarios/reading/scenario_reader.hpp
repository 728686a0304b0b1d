#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/json/overrides.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// The JSON of a scenario with overrides applied, not checked yet.
struct ScenarioDocument {
  std::filesystem::path file;  // its name in errors
  nlohmann::json json;
  std::vector<Override> changes;  // the overrides applied so far
  std::string place = {};         // JSON pointer of the scenario in the file: "/base" in a study
  /// Relative paths start from it; empty: the folder of `file`.
  std::filesystem::path folder = {};
};

/// Reads the JSON of a scenario, or of the scenario in a result.json, and applies the overrides, each
/// `/json/pointer=VALUE`, in order. `-` is standard input. Relative paths in the scenario of a result start
/// from the folder that the result states. @throws ScenarioError if the file or that folder does not exist,
/// the file is not JSON, or an override does not fit.
ScenarioDocument read_document(const std::filesystem::path& file, const std::vector<std::string>& overrides);

/// Applies another override; errors in the override itself name `given_by`. @throws ScenarioError if it does
/// not fit.
void change(ScenarioDocument& document, const std::string& override_option,
            const std::string& given_by = "--set");

/// The error as shown to users: if the value came from the command line it names that option instead of the
/// file; the JSON pointer of the document in its file precedes that of the error.
ScenarioError naming_override(const ScenarioError& error, const ScenarioDocument& document);

/// The same for a scenario that was read.
ScenarioError naming_override(const ScenarioError& error, const Scenario& scenario);

/// Returns `read()`, and throws its ScenarioErrors as naming_override() shows them.
template <typename Read>
auto naming_overrides_of(const ScenarioDocument& document, const Read& read) {
  try {
    return read();
  } catch (const ScenarioError& error) {
    throw naming_override(error, document);
  }
}

/// Checks and completes a scenario. @throws ScenarioError if anything is wrong.
Scenario read_scenario(const ScenarioDocument& document);

/// Reads, checks and completes a scenario. Each override is `/json/pointer=VALUE`, applied in order before
/// anything is checked. Files that the scenario names are found relative to it. @throws ScenarioError if
/// anything is wrong.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same for JSON in memory. Errors call it `file`; relative paths start from `folder`, or from the folder
/// of `file` if that is empty.
Scenario read_scenario_document(const nlohmann::json& document, const std::filesystem::path& file,
                                const std::filesystem::path& folder = {});

/// The folder from which the relative paths in the scenario start; empty if it has none.
std::filesystem::path folder_of_named_files(const Scenario& scenario);

}  // namespace starling
