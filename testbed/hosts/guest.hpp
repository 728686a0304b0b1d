#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbed/hosts/testbed_directory.hpp"

namespace starling {

/// A program to run in a testbed.
struct Guest {
  std::vector<std::string> command;
  /// Environment variables that are set for the program unless they are set already.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Runs a program on a host of a running testbed (or its head) and waits for it, forwarding interrupts.
/// Returns its exit code, 128 + the signal that ended it, or cannot_run (127), with an error on stderr, if it
/// could not be run. @throws std::system_error if no process can be started.
int run_guest(const TestbedDirectory& directory, const TestbedState& state, const std::string& host,
              const Guest& guest);

/// Replaces this process, which must be in the testbed, by a shell command on one of its hosts. mpirun calls
/// this in place of a remote shell.
[[noreturn]] void become_agent(const TestbedDirectory& directory, const std::string& host,
                               const std::string& shell_command);

}  // namespace starling
