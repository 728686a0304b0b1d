#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/reading/scenario.hpp"

namespace starling {

/// A file that a scenario was read from, and the hash of its content.
struct InputContent {
  std::string file;
  std::string hash;
};

/// Computes hashes of scenarios that identify everything on which their results depend. Caches hashes of
/// files; a file that has changed since is read again. Safe for concurrent use by several threads.
class ScenarioHash {
 public:
  /// The hash of a scenario: a UUID of version 5 (SHA-1; RFC 4122). Scenarios have the same hash if they have
  /// the same JSON with defaults filled in, seed included, files with the same contents, and the same version
  /// of Starling.
  std::string of(const Scenario& scenario);
  /// The same, if the hashes of the scenario's files are known.
  static std::string of(const Scenario& scenario, const std::vector<InputContent>& files);
  /// The scenario's files with their hashes, in the order of Scenario::input_files.
  std::vector<InputContent> of_each_file(const Scenario& scenario);
  /// A hash of the contents of the scenario's files, in order.
  std::string of_files(const Scenario& scenario);
  /// The hash of a scenario from the entries of its result: version, JSON, and of_files().
  static std::string of(const std::string& version, const nlohmann::ordered_json& as_read,
                        const std::string& of_files);
  /// The hash of a text, for inputs that are no scenario, such as one that cannot be read.
  static std::string of(const std::string& text);
  /// The hash of a file's content. @throws ScenarioError if it cannot be read.
  std::string of_file(const std::filesystem::path& file);

 private:
  /// Device, inode, size and times of a file: at least one number changes when it is written or replaced.
  using FileState = std::array<std::int64_t, 7>;
  struct ReadFile {
    FileState state{};  // all zero: do not reuse the hash
    std::string hash;
  };
  /// All zero if there is no such file.
  static FileState state_of(const std::filesystem::path& file);
  /// Whether a later change would change the state. False for a file changed so recently that the time stamp
  /// of the next change could be the same.
  static bool is_settled(const FileState& state);

  std::mutex mutex_;
  std::map<std::filesystem::path, ReadFile> files_;
};

}  // namespace starling
