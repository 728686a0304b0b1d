#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling regimes`.
struct RegimesArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;  // of the study: /json/pointer=VALUE
  std::optional<std::filesystem::path> out;
  std::optional<int> jobs;
  bool is_confirmed = false;
  bool is_forced = false;
  bool is_json = false;
  bool is_quiet = false;
};

void add_regimes(CommandLine& line);

/// Maps where each algorithm of a study is the fastest, prints the map and writes the files. @throws
/// ScenarioError, UsageError for bad input.
void regimes_command(const RegimesArguments& arguments);

}  // namespace starling
