#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/output_file.hpp"

namespace starling {

/// What long work has found, kept in a file as it comes, a line of JSON for each, so that work that was
/// interrupted goes on. Threads may use one at the same time.
///
/// A line that was not written to its end, or is not of that form, is as good as absent.
class KeptLines {
 public:
  /// Without a file, nothing is kept. @throws std::runtime_error if something else is there, and
  /// std::system_error as OutputFile does.
  explicit KeptLines(const std::optional<std::filesystem::path>& file);

  /// What the file had under that key at first; null if there was nothing.
  nlohmann::json find(const std::string& key) const;
  /// @throws std::system_error if it cannot be written.
  void keep(const std::string& key, const nlohmann::json& found);

 private:
  bool read(const std::filesystem::path& file);

  std::map<std::string, nlohmann::json> found_;
  std::mutex mutex_;
  std::optional<OutputFile> lines_;
};

}  // namespace starling
