#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"

namespace starling {

/// `starling testbed`.
struct TestbedArguments {
  std::string name = "default";
  std::filesystem::path file;          // a scenario, or a cluster
  std::vector<std::string> overrides;  // /json/pointer=VALUE
  bool is_store_and_forward = false;
  std::string window = "512KiB";     // what a TCP connection may have under way
  std::optional<std::string> queue;  // what may wait at a link; absent: so much that nothing is dropped
  std::string host;
  std::string mpirun_options;  // words between spaces
  std::vector<std::string> command;
};

/// Takes what comes after "--", which is the command of another program and none of our parser's business,
/// from the arguments of `starling testbed`, and returns it; of other commands nothing. Lessens the count of
/// arguments.
std::vector<std::string> take_guest_command(int& argument_count, char** arguments);

/// up, run, on, down and exec; the last three end with the guest's exit code. They throw ScenarioError,
/// UsageError for bad input or a network that cannot be shaped here, and std::runtime_error if the system
/// refuses.
void add_testbed(CommandLine& line, std::vector<std::string> guest_command);

}  // namespace starling
