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

/// A file that a scenario was read from, and what it held, by its hash.
struct InputContent {
  std::string file;
  std::string hash;
};

/// Names scenarios by all that their results follow from. A file that has changed since it was asked for last
/// is read again. Threads may use one at the same time.
class ScenarioHash {
 public:
  /// The name of a scenario: a UUID of version 5 (SHA-1; RFC 4122). Scenarios have the same one if they read
  /// the same, seed included, from files with the same contents, by the same version of Starling.
  std::string of(const Scenario& scenario);
  /// That name, where the hashes of its files are known.
  static std::string of(const Scenario& scenario, const std::vector<InputContent>& files);
  /// The scenario's files with their hashes, in their order.
  std::vector<InputContent> of_each_file(const Scenario& scenario);
  /// A hash that scenarios share whose files have the same contents.
  std::string of_files(const Scenario& scenario);
  /// The name of a scenario by what a result says of it: version, text, and the of_files() of its files.
  static std::string of(const std::string& version, const nlohmann::ordered_json& as_read,
                        const std::string& of_files);
  /// A name of what is no scenario, such as one that cannot be read.
  static std::string of(const std::string& text);
  /// The hash of what a file holds. @throws ScenarioError if it cannot be read.
  std::string of_file(const std::filesystem::path& file);

 private:
  /// Numbers of which at least one is another where a file has been written or replaced.
  using FileState = std::array<std::int64_t, 7>;
  struct ReadFile {
    FileState state{};  // all zero where the hash is good for once
    std::string hash;
  };
  /// All zero if there is no such file.
  static FileState state_of(const std::filesystem::path& file);
  /// Whether another change would show: not where the last one is so recent that clocks may be the same.
  static bool is_settled(const FileState& state);

  std::mutex mutex_;
  std::map<std::filesystem::path, ReadFile> files_;
};

}  // namespace starling
