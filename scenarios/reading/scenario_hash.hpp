#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Names scenarios by all that their results follow from. Threads may use one at the same time.
class ScenarioHash {
 public:
  /// The same for scenarios that read the same, seed included, from files with the same contents, by the same
  /// version of Starling: a UUID of version 5 (SHA-1; RFC 4122).
  std::string of(const Scenario& scenario);
  /// The same for scenarios whose files have the same contents.
  std::string of_files(const Scenario& scenario);
  /// The same for what a result says of its scenario, beside files of that of_files().
  static std::string of(const std::string& version, const nlohmann::ordered_json& as_read,
                        const std::string& of_files);
  /// Of what is no scenario, such as one that cannot be read.
  static std::string of(const std::string& text);

 private:
  std::string of_file(const std::filesystem::path& file);

  std::mutex mutex_;
  std::map<std::filesystem::path, std::string> files_;
};

}  // namespace starling
