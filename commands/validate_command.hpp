#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validation/validation_study.hpp"
#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling validate PREDICTED_DIR MEASURED_DIR`, or `starling validate --run STUDY.json`.
struct ValidateArguments {
  std::optional<std::filesystem::path> predicted = {};
  std::optional<std::filesystem::path> measured = {};
  std::optional<std::filesystem::path> study = {};
  std::optional<std::string> engine = {};  // for the predictions of a study; nullopt: those of its scenarios
  std::optional<std::filesystem::path> out = {};
  bool is_quiet = false;
};

/// `require_measuring` throws if this program cannot measure a study.
void add_validate(CommandLine& line, void (*require_measuring)());

/// Prints the errors of predictions against measurements, and writes DIR/validation.json and
/// DIR/validation.svg. Without gnuplot it warns, and there is no picture. A study is predicted and measured
/// first, in DIR/cases; after an interruption the same call goes on where it stopped.
/// @throws ScenarioError, UsageError for bad input; std::runtime_error at the end if a study's errors leave
/// its band or cases failed; std::system_error if a file cannot be written.
void validate_command(const ValidateArguments& arguments);

/// Warnings before a study in a testbed about cases whose rates the machine may not keep up with: for each
/// distinct warning, the number of cases and the first of them.
std::vector<std::string> total_rate_warnings(const ValidationStudy& study);

}  // namespace starling
