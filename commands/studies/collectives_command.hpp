#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling collectives`.
struct CollectivesArguments {
  std::filesystem::path file;              // a scenario, or a cluster
  std::vector<std::string> overrides;      // /json/pointer=VALUE
  std::optional<std::string> engine;       // nullopt: the scenario's
  std::optional<std::string> sizes;        // "8,64KiB,1MiB"
  std::optional<std::string> collectives;  // "ring,double_tree"
  std::optional<int> jobs;
  bool prints_lines = false;
  bool is_quiet = false;
};

void add_collectives(CommandLine& line);

/// Prints the times of all-reduces, size by size. @throws ScenarioError, UsageError for bad input.
void collectives_command(const CollectivesArguments& arguments);

}  // namespace starling
