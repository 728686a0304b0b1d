#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "io/output_file.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// Writes iterations.csv: one row per run, worker and iteration (warm-up included), in that order.
///
/// Columns: run (0 for the scenario's first; with several seeds, all of the first one come first), label,
/// worker, iteration (from 0), is_warmup (0 or 1), end_s and ready_s (points in time), duration_s, and its
/// parts delay_s, forward_s, backward_s, update_s, exposed_communication_s, imbalance_wait_s; in measurements
/// also planned_s, how long computing should have taken.
class IterationsCsv {
 public:
  explicit IterationsCsv(const std::filesystem::path& path, bool is_measured = false);

  /// Adds the rows of the next run and flushes them. The waiting in `log` must have been divided by cause.
  void add_run(std::string_view label, const IterationLog& log, std::int64_t warmup_iterations);
  void close() { file_.close(); }

 private:
  OutputFile file_;
  bool is_measured_;
  int runs_ = 0;
};

}  // namespace starling
