#pragma once

#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/trace_json.hpp"

namespace starling {

/// What is asked for on the command line cannot be done; a program that reports it exits with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An error that has been reported already, perhaps by another process; the program exits with its code.
class ReportedError : public std::exception {
 public:
  explicit ReportedError(int exit_code) : exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }
  const char* what() const noexcept override { return "an error that has been reported"; }

 private:
  int exit_code_;
};

/// What to print of an error: one that does not name a file names us.
std::string error_text(const std::exception& error);

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

/// --engine as an override of a scenario: `/engine="simgrid"`. @throws UsageError for an engine that there is not.
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
/// Writes a warning to stderr.
void warn(std::string_view text);
/// Warns if a run's timeline is not complete.
void report_cut_off(const TraceJson& trace, const std::string& label);

/// Writes to stdout, at once. @throws std::system_error if that fails.
void print_out(std::string_view text);
/// Writes to stderr if that is possible.
void print_error(std::string_view text) noexcept;

}  // namespace starling
