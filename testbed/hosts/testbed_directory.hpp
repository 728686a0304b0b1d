#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "testbed/network/file_descriptor.hpp"

namespace starling {

/// What a running testbed tells those who use it.
struct TestbedState {
  pid_t supervisor = 0;  // runs the switch; ends the testbed when it ends
  pid_t init = 0;        // the first of the testbed's processes, whose namespaces the others join
  int workers = 0;
  int workers_per_host = 1;
  std::vector<std::string> host_names;
};

std::string state_text(const TestbedState& state);
/// @throws std::runtime_error if the text is not that of a state.
TestbedState parse_state(const std::string& text);

/// The files of the testbed of a name, /run/starling-testbed/NAME: a lock, held as long as the testbed lives,
/// its state, its report, and the place where its processes, and only they, see its private files.
class TestbedDirectory {
 public:
  /// @throws UsageError if that is no name.
  explicit TestbedDirectory(std::string name);

  const std::string& name() const { return name_; }
  /// Creates the folder, empty but for the lock, which is returned. @throws UsageError if the testbed is up.
  FileDescriptor create() const;
  /// What the testbed says of itself; nothing if it is not up.
  std::optional<TestbedState> state() const;
  /// Whether something is there, of a testbed that is up or of one that crashed.
  bool exists() const;
  /// Waits until the testbed has ended. False after so long.
  bool wait_for_end(double timeout_s) const;
  /// What is left of one that has ended.
  void remove() const;

  std::filesystem::path state_file() const { return path_ / "state"; }
  std::filesystem::path report_file() const { return path_ / "report"; }
  std::filesystem::path private_folder() const { return path_ / "private"; }
  /// Where a namespace is found by those who see the private folder.
  std::filesystem::path namespace_file(const std::string& host) const {
    return private_folder() / "net" / host;
  }
  /// What mpirun starts processes on a host with.
  std::filesystem::path agent_file() const { return private_folder() / "agent"; }

 private:
  std::filesystem::path lock_file() const { return path_ / "lock"; }
  bool is_locked() const;

  std::string name_;
  std::filesystem::path path_;
};

}  // namespace starling
