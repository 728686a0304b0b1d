#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/regimes/regime_time.hpp"
#include "io/output_file.hpp"

namespace starling {

/// What has been found at points of maps, kept in a file as it comes, a line of JSON for each point, so that
/// a map that was interrupted goes on. Threads may use one at the same time.
///
/// A line that was not written to its end, or is not of that form, is as good as absent.
class KeptPoints {
 public:
  /// Without a file, nothing is kept. @throws std::system_error as OutputFile does.
  explicit KeptPoints(const std::optional<std::filesystem::path>& file);

  /// What was found under that key, if it is there.
  std::optional<std::vector<RegimeTime>> find(const std::string& key) const;
  /// @throws std::system_error if it cannot be written.
  void keep(const std::string& key, const std::vector<RegimeTime>& times);

 private:
  bool read(const std::filesystem::path& file);

  std::map<std::string, std::vector<RegimeTime>> times_;  // as the file had them
  std::mutex mutex_;
  std::optional<OutputFile> lines_;
};

}  // namespace starling
