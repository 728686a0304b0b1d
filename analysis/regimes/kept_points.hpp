#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/regimes/regime_time.hpp"
#include "io/kept/kept_lines.hpp"

namespace starling {

/// What has been found at points of maps, kept as KeptLines are: threads may use one at the same time.
class KeptPoints {
 public:
  /// Without a file, nothing is kept. @throws std::system_error as OutputFile does.
  explicit KeptPoints(const std::optional<std::filesystem::path>& file) : lines_(file) {}

  /// What was found under that key, if it is there, and of the form that it should have.
  std::optional<std::vector<RegimeTime>> find(const std::string& key) const;
  /// @throws std::system_error if it cannot be written.
  void keep(const std::string& key, const std::vector<RegimeTime>& times);

 private:
  KeptLines lines_;
};

}  // namespace starling
