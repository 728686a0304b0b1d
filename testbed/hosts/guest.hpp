#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbed/hosts/testbed_directory.hpp"

namespace starling {

/// A program to run in a testbed.
struct Guest {
  std::vector<std::string> command;
  /// Environment variables that it gets unless they are set.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Runs a program on a host of a running testbed (or its head) and waits for it; interrupts are passed on.
/// Returns its exit code, or 128 + the signal that ended it. @throws std::runtime_error if it cannot be run.
int run_guest(const TestbedDirectory& directory, const TestbedState& state, const std::string& host,
              const Guest& guest);

/// Replaces this process, which must be in the testbed, by a shell command on a host of it: what mpirun asks
/// of its remote shell.
[[noreturn]] void become_agent(const TestbedDirectory& directory, const std::string& host,
                               const std::string& shell_command);

}  // namespace starling
