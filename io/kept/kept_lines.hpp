#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/output_file.hpp"

namespace starling {

/// Results of long work, appended to a file as they are found, one line of JSON each, so that interrupted
/// work can be resumed. Thread-safe.
///
/// Lines that are incomplete or of another form are ignored.
class KeptLines {
 public:
  /// Reads the results that the file has already. Without a file, nothing is kept. @throws std::runtime_error
  /// if the path is not a regular file, and std::system_error as OutputFile does.
  explicit KeptLines(const std::optional<std::filesystem::path>& file);

  /// The result that the file had for a key when it was opened; null if there was none.
  nlohmann::json find(const std::string& key) const;
  /// Appends a result. @throws std::system_error if it cannot be written.
  void keep(const std::string& key, const nlohmann::json& found);

 private:
  bool read(const std::filesystem::path& file);

  std::map<std::string, nlohmann::json> found_;
  std::mutex mutex_;
  std::optional<OutputFile> lines_;
};

}  // namespace starling
