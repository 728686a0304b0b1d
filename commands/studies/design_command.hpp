#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling design`.
struct DesignArguments {
  std::filesystem::path file;
  std::vector<std::string> overrides;  // of the study: /json/pointer=VALUE
  std::optional<int> seeds;
  std::optional<int> jobs;                    // nullopt: one per core
  std::optional<std::string> run_limit = {};  // "10min"
  std::optional<std::filesystem::path> out;
  bool tries_all = false;
  bool is_confirmed = false;
  bool is_json = false;
  bool is_forced = false;
  bool is_quiet = false;
};

void add_design(CommandLine& line);

/// Finds the networks that are worth their price: runs the candidates that DIR does not have yet, and writes
/// the answer. Returns 1 if the Pareto front is empty: no candidate could be run (all failed or were ruled
/// out).
/// @throws ScenarioError, UsageError for bad input.
int design_command(const DesignArguments& arguments);

}  // namespace starling
