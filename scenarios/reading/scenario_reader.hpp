#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/json/overrides.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// A scenario as it is written, not checked yet.
struct ScenarioDocument {
  std::filesystem::path file;  // errors call it so
  nlohmann::json json;
  std::vector<Override> changes;  // that were made from the command line
  std::string place = {};         // of the scenario in the file, "/base" of a study's
  /// That relative paths in it start from; that of the file if empty.
  std::filesystem::path folder = {};
};

/// Reads the text of a scenario, `-` being standard input, or the scenario of a result.json, and applies the
/// overrides, each `/json/pointer=VALUE`, in order. Files that a result's scenario names are found where they
/// were, by what the result says of that. @throws ScenarioError if there is no such file or folder, or no
/// JSON in it, or an override does not fit.
ScenarioDocument read_document(const std::filesystem::path& file, const std::vector<std::string>& overrides);

/// Makes another change, which errors in it call `given_by`. @throws ScenarioError if it does not fit.
void change(ScenarioDocument& document, const std::string& override_option,
            const std::string& given_by = "--set");

/// An error of a document as it is told: where a value came from the command line it names the option, not
/// the file; the document's own place in its file comes before that of the error.
ScenarioError naming_override(const ScenarioError& error, const ScenarioDocument& document);

/// The same of a scenario that was read.
ScenarioError naming_override(const ScenarioError& error, const Scenario& scenario);

/// What `read()` makes of the document; its errors are told as above.
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

/// The same for a scenario that is no file. Errors call it `file`, and files that it names are found relative
/// to the folder, that of `file` if it is empty.
Scenario read_scenario_document(const nlohmann::json& document, const std::filesystem::path& file,
                                const std::filesystem::path& folder = {});

/// The folder that the scenario names files relative to; empty if it names none.
std::filesystem::path folder_of_named_files(const Scenario& scenario);

}  // namespace starling
