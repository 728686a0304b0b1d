#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling design`.
struct DesignArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;  // of the study: /json/pointer=VALUE
  std::optional<int> seeds;
  std::optional<int> jobs;                    // as many as there are cores
  std::optional<std::string> run_limit = {};  // "10min"
  std::optional<std::filesystem::path> out;
  bool tries_all = false;
  bool is_confirmed = false;
  bool is_json = false;
  bool is_forced = false;
  bool is_quiet = false;
};

void add_design(CommandLine& line);

/// Looks for the networks that are worth their price, runs what DIR does not have yet, and writes what it
/// found. Returns 1 if the Pareto front is empty: no candidate could be run (all failed or were ruled out).
/// @throws ScenarioError, UsageError for bad input.
int design_command(const DesignArguments& arguments);

}  // namespace starling
