#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling reproduce`.
struct ReproduceArguments {
  std::optional<std::filesystem::path> file;  // nullopt: the shipped published measurements
  std::string filter;                         // a part of an entry's id, paper or cluster
  std::optional<std::filesystem::path> out;
  std::optional<int> jobs;                        // nullopt: one per core
  std::optional<std::filesystem::path> clusters;  // a folder of profiles, preferred to the shipped ones
  bool is_modeled = false;
  bool is_forced = false;
  bool is_quiet = false;
};

void add_reproduce(CommandLine& line);

/// Predicts published measurements, prints the errors, and writes DIR/reproduce.json, anew after every run
/// with the entries known so far. The scenarios are written to DIR/scenarios.
/// @throws ScenarioError, UsageError for bad input; std::runtime_error at the end if runs failed;
/// std::system_error if a file cannot be written.
void reproduce_command(const ReproduceArguments& arguments);

}  // namespace starling
