#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/trace_json.hpp"

namespace starling {

/// `starling run`.
struct RunArguments {
  std::filesystem::path scenario;
  std::optional<std::string> engine;
  std::optional<std::filesystem::path> out;
  bool is_traced = false;
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_quiet = false;
};

/// Simulates a scenario, prints the table and writes the files. Progress and warnings go to stderr.
/// @throws ScenarioError, UsageError for bad input; DeadlockError, CommunicationError if a run cannot go on;
/// std::system_error if a file cannot be written.
void run_command(const RunArguments& arguments);

/// --engine as an override of a scenario: `/engine="simgrid"`. @throws UsageError for an engine that there is
/// not.
std::string engine_override(const std::string& engine);

/// `starling list`: prints names and descriptions of models, algorithms, topologies, gpus, distributions or
/// tasks.
void list_command(const std::string& what);
/// What can be listed.
std::vector<std::string> listable();

/// `starling schema`: prints the JSON Schema of a scenario or a result.
void schema_command(const std::string& what);
/// What has a schema to print.
std::vector<std::string> schemas();

/// @throws UsageError if a timeline is wanted and there is no folder to write it to.
void check_trace_has_folder(bool is_traced, bool has_folder);
/// Warns if a run's timeline is not complete.
void report_cut_off(const TraceJson& trace, const std::string& label);

}  // namespace starling
