#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling sweep`.
struct SweepArguments {
  std::filesystem::path file;
  std::vector<std::string> varied;     // /json/pointer=A,B,C
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  std::optional<int> seeds;
  std::optional<int> jobs;                    // as many as there are cores
  std::optional<std::string> shard;           // I/N
  std::optional<std::string> run_limit = {};  // "10min"
  std::optional<std::filesystem::path> out;
  bool is_confirmed = false;
  bool prints_lines = false;  // of JSON, in place of text
  bool is_forced = false;
  bool is_quiet = false;
};

void add_sweep(CommandLine& line);

/// Runs what DIR does not have yet. Returns 1 if any run has failed, else 0. @throws ScenarioError,
/// UsageError for bad input.
int sweep_command(const SweepArguments& arguments);

/// Adds the command that processes of runs with a limit are started with; it is not in the help.
void add_limited_run(CommandLine& line);

/// `starling merge`.
struct MergeArguments {
  std::vector<std::string> parts;
  std::optional<std::filesystem::path> out;
  bool is_quiet = false;
};

void add_merge(CommandLine& line);

/// Puts the shards of a sweep together. Returns 1 if any of their runs has failed, else 0. @throws
/// ScenarioError, UsageError for bad input.
int merge_command(const MergeArguments& arguments);

}  // namespace starling
