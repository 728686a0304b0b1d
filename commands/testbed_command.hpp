#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// The arguments of `starling testbed`.
struct TestbedArguments {
  std::string name = "default";
  std::filesystem::path file;          // a scenario, or a cluster
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_store_and_forward = false;
  std::string window = "512KiB";     // most unacknowledged data of a TCP connection
  std::optional<std::string> queue;  // most data that may wait at a link; nullopt: enough to drop nothing
  std::string host;
  std::string mpirun_options;  // separated by spaces
  std::vector<std::string> command;
};

/// Removes the words after "--" from the arguments of `starling testbed`, and returns them: they are the
/// command of another program, which our parser must not see. For other commands, removes and returns
/// nothing. Reduces argument_count.
std::vector<std::string> take_guest_command(int& argument_count, char** arguments);

/// Adds up, run, on, down and exec; run, on and exec return the exit code of the program that they run. All
/// throw ScenarioError or UsageError for bad input or a network that cannot be shaped on this machine, and
/// std::runtime_error if the system refuses.
void add_testbed(CommandLine& line, std::vector<std::string> guest_command);

}  // namespace starling
