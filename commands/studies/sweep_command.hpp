#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling sweep`.
struct SweepArguments {
  std::filesystem::path file;
  std::vector<std::string> varied;     // /json/pointer=A,B,C
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  std::optional<int> seeds;
  std::optional<int> jobs;                    // nullopt: one per core
  std::optional<std::string> shard;           // I/N
  std::optional<std::string> run_limit = {};  // "10min"
  std::optional<std::filesystem::path> out;
  bool is_confirmed = false;
  bool prints_lines = false;  // lines of JSON instead of text
  bool is_forced = false;
  bool is_quiet = false;
};

void add_sweep(CommandLine& line);

/// Does the runs that DIR does not have yet, and writes the tables. Returns 1 if any run has failed, else 0.
/// @throws ScenarioError, UsageError for bad input.
int sweep_command(const SweepArguments& arguments);

/// Adds the hidden command with which a sweep starts a process for each run that has a time limit.
void add_limited_run(CommandLine& line);

/// The arguments of `starling merge`.
struct MergeArguments {
  std::vector<std::string> parts;
  std::optional<std::filesystem::path> out;
  bool is_quiet = false;
};

void add_merge(CommandLine& line);

/// Combines the shards of a sweep. Returns 1 if any of their runs has failed, else 0. @throws ScenarioError,
/// UsageError for bad input.
int merge_command(const MergeArguments& arguments);

}  // namespace starling
