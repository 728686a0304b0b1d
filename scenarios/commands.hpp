#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// What is asked for on the command line cannot be done; a program that reports it exits with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

/// `starling list`: prints names and descriptions of models, algorithms, topologies, gpus, distributions or
/// tasks.
void list_command(const std::string& what);
/// What can be listed.
std::vector<std::string> listable();

/// `starling schema`: prints the JSON Schema of a scenario or a result.
void schema_command(const std::string& what);
/// What has a schema to print.
std::vector<std::string> schemas();

/// Writes to stdout, at once. @throws std::system_error if that fails.
void print_out(std::string_view text);
/// Writes to stderr if that is possible.
void print_error(std::string_view text) noexcept;

}  // namespace starling
