#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "testbed/network/file_descriptor.hpp"

namespace starling {

/// The state that a running testbed publishes to its users.
struct TestbedState {
  pid_t supervisor = 0;  // runs the switch; the testbed ends with it
  pid_t init = 0;        // first process of the PID namespace; guests join its namespaces
  int workers = 0;
  int workers_per_host = 1;
  std::vector<std::string> host_names;
};

std::string state_text(const TestbedState& state);
/// @throws std::runtime_error if the text is not that of a state.
TestbedState parse_state(const std::string& text);

/// The files of the testbed of that name, in /run/starling-testbed/NAME: a lock, held as long as the testbed
/// lives, its state, its report, and a mount point where its private files are visible to its own processes
/// only.
class TestbedDirectory {
 public:
  /// @throws UsageError if the name is invalid.
  explicit TestbedDirectory(std::string name);

  const std::string& name() const { return name_; }
  /// Creates the folder, removes leftovers of a crash, and returns the lock, which is held until its last
  /// copy is closed. @throws UsageError if the testbed is up.
  FileDescriptor create() const;
  /// The state of the testbed; nothing if it is not up.
  std::optional<TestbedState> state() const;
  /// Whether the folder exists, of a running or a crashed testbed.
  bool exists() const;
  /// Waits until the testbed has ended. False if it has not after `timeout_s` seconds.
  bool wait_for_end(double timeout_s) const;
  /// Removes the files of a testbed that has ended.
  void remove() const;

  std::filesystem::path state_file() const { return path_ / "state"; }
  std::filesystem::path report_file() const { return path_ / "report"; }
  std::filesystem::path private_folder() const { return path_ / "private"; }
  /// The file to which the network namespace of a host is bound, for processes that see the private folder.
  std::filesystem::path namespace_file(const std::string& host) const {
    return private_folder() / "net" / host;
  }
  /// The program by which mpirun starts processes on a host, instead of a remote shell.
  std::filesystem::path agent_file() const { return private_folder() / "agent"; }

 private:
  std::filesystem::path lock_file() const { return path_ / "lock"; }
  bool is_locked() const;

  std::string name_;
  std::filesystem::path path_;
};

}  // namespace starling
