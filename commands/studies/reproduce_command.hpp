#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling reproduce`.
struct ReproduceArguments {
  std::optional<std::filesystem::path> file;  // by default the published measurements that are shipped
  std::string filter;                         // a part of an entry's id, paper or cluster
  std::optional<std::filesystem::path> out;
  std::optional<int> jobs;                        // by default one per processor
  std::optional<std::filesystem::path> clusters;  // a folder of profiles that come before those shipped
  bool is_modeled = false;
  bool is_forced = false;
  bool is_quiet = false;
};

void add_reproduce(CommandLine& line);

/// Predicts published measurements, prints how near it comes, and writes DIR/reproduce.json, after every run
/// what is decided so far. The scenarios that were run are in DIR/scenarios.
/// @throws ScenarioError, UsageError for bad input; std::runtime_error at the end if runs failed;
/// std::system_error if a file cannot be written.
void reproduce_command(const ReproduceArguments& arguments);

}  // namespace starling
