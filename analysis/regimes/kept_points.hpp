#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/regimes/regime_time.hpp"
#include "io/kept/kept_lines.hpp"

namespace starling {

/// The times at points of maps, kept in a file (KeptLines). Thread-safe.
class KeptPoints {
 public:
  /// Without a file, nothing is kept. @throws std::system_error as OutputFile does.
  explicit KeptPoints(const std::optional<std::filesystem::path>& file) : lines_(file) {}

  /// The times that are kept under a key; nullopt if there are none, or they are not valid.
  std::optional<std::vector<RegimeTime>> find(const std::string& key) const;
  /// Keeps times under a key. @throws std::system_error if the file cannot be written.
  void keep(const std::string& key, const std::vector<RegimeTime>& times);

 private:
  KeptLines lines_;
};

}  // namespace starling
