#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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

/// Starts the hosts and the network of a cluster on this machine. @throws ScenarioError, UsageError for bad
/// input or a network that cannot be shaped here; std::runtime_error if the system refuses.
void testbed_up(const TestbedArguments& arguments);
/// Starts the command on all workers with mpirun. Returns its exit code.
int testbed_run(const TestbedArguments& arguments);
/// Runs the command on one host. Returns its exit code.
int testbed_on(const TestbedArguments& arguments);
/// Ends the testbed and prints its report.
void testbed_down(const TestbedArguments& arguments);
/// Up, run and down; the testbed also ends if this process is killed.
int testbed_exec(const TestbedArguments& arguments);
/// What mpirun starts processes with: the first words of the command are options of a remote shell.
[[noreturn]] void testbed_agent(const TestbedArguments& arguments);

}  // namespace starling
