#pragma once

#include <cstdint>

#include "analysis/results/files/results_folder.hpp"
#include "commands/shared/interruption.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// Prints a line of JSON for every algorithm.
void print_lines(const Result& result);

/// Writes the results of `starling run` as its runs end, besides the table: files, lines of JSON, lines of
/// progress. On an interrupt it says what is kept.
class RunOutput {
 public:
  /// `folder` may be null: then no files are written.
  RunOutput(ResultsFolder* folder, bool prints_lines, ProgressLine& progress);

  void add(const Result& result, const IterationLog& log, std::int64_t warmup_iterations);
  void add(const Result& result, const JobResult& job, const IterationLog& log);
  void add_iterations(const RunResult& run, const IterationLog& log, std::int64_t warmup_iterations);
  /// Call after the last seed of an algorithm, the last one in `result`; all its seeds took `taken_s`.
  void end_seeds(const Result& result, double taken_s);
  void add_result(const Result& result);
  void finish(const Result& result);
  /// Call after an error: removes the progress line, and says where finished results are.
  void failed();

 private:
  template <typename Save>
  void keep(const Save& save);

  ResultsFolder* folder_;
  bool prints_lines_;
  ProgressLine& progress_;
  Interruption interruption_;
};

}  // namespace starling
