#pragma once

#include <filesystem>
#include <string_view>

#include "analysis/results/learning_result.hpp"
#include "io/output_file.hpp"

namespace starling {

/// Writes learning.csv: one row per run and evaluation, in that order.
///
/// Columns: run (0 for the scenario's first), label, iteration (how many were complete), time_s (when), loss,
/// consensus_distance; the last two are empty where they are not finite numbers.
class LearningCsv {
 public:
  explicit LearningCsv(const std::filesystem::path& path);

  /// Adds the rows of the next run and flushes them.
  void add_run(std::string_view label, const LearningResult& learning);
  void close() { file_.close(); }

 private:
  OutputFile file_;
  int runs_ = 0;
};

}  // namespace starling
