#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validation/validation_study.hpp"
#include "commands/shared/command.hpp"

namespace starling {

/// `starling validate PREDICTED_DIR MEASURED_DIR`, or `starling validate --run STUDY.json`.
struct ValidateArguments {
  std::optional<std::filesystem::path> predicted = {};
  std::optional<std::filesystem::path> measured = {};
  std::optional<std::filesystem::path> study = {};
  std::optional<std::string> engine = {};  // that predicts a study; by default its scenarios' own
  std::optional<std::filesystem::path> out = {};
  bool is_quiet = false;
};

/// `require_measuring` throws if this program cannot measure a study.
void add_validate(CommandLine& line, void (*require_measuring)());

/// Prints how near predictions come to measurements and writes DIR/validation.json and DIR/validation.svg.
/// Without gnuplot there is no picture, which a warning says. A study is predicted and measured first, in
/// DIR/cases; called again it goes on where it stopped.
/// @throws ScenarioError, UsageError for bad input; std::runtime_error at the end if a study's errors leave
/// its band or cases failed; std::system_error if a file cannot be written.
void validate_command(const ValidateArguments& arguments);

/// What to warn of before a study in a testbed: how many cases ask for more than two cores keep, and which is
/// the first, for each thing that is said of them.
std::vector<std::string> doubts_of_rates(const ValidationStudy& study);

}  // namespace starling
