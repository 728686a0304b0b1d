#pragma once

#include <filesystem>
#include <optional>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling report`.
struct ReportArguments {
  std::filesystem::path folder;  // of the result, or a file in it
  std::optional<std::filesystem::path> out;
  bool is_quiet = false;
};

void add_report(CommandLine& line);

/// Writes a page about a result. @throws ScenarioError for bad input; std::system_error if the page cannot be
/// written.
void report_command(const ReportArguments& arguments);

}  // namespace starling
