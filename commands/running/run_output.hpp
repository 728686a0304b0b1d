#pragma once

#include <cstdint>

#include "analysis/results/files/results_folder.hpp"
#include "commands/shared/interruption.hpp"
#include "io/terminal/progress_line.hpp"

namespace starling {

/// Prints a line of JSON for every algorithm.
void print_lines(const Result& result);

/// Where the results of a run go to, besides the table: files, lines of JSON, and word of what is kept.
class RunOutput {
 public:
  /// The folder is null where nothing is kept.
  RunOutput(ResultsFolder* folder, bool prints_lines, ProgressLine& progress);

  void add(const Result& result, const IterationLog& log, std::int64_t warmup_iterations);
  void add(const Result& result, const JobResult& job, const IterationLog& log);
  void add_iterations(const RunResult& run, const IterationLog& log, std::int64_t warmup_iterations);
  /// The last seed of an algorithm has ended, which is the last of the result's; all took so long.
  void end_seeds(const Result& result, double taken_s);
  void add_result(const Result& result);
  void finish(const Result& result);
  /// Removes the progress line, and says where what was finished is.
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
