#pragma once

#include <filesystem>
#include <optional>

namespace starling {

/// `starling validate PREDICTED_DIR MEASURED_DIR`.
struct ValidateArguments {
  std::filesystem::path predicted;
  std::filesystem::path measured;
  std::optional<std::filesystem::path> out;
  bool is_quiet = false;
};

/// Prints how near predictions come to measurements and writes DIR/validation.json and DIR/validation.svg. Without gnuplot
/// there is no picture, which a warning says.
/// @throws ScenarioError for bad input; std::system_error if a file cannot be written.
void validate_command(const ValidateArguments& arguments);

}  // namespace starling
