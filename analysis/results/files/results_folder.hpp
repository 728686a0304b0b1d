#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/results/files/folder_lock.hpp"
#include "analysis/results/files/iterations_csv.hpp"
#include "analysis/results/files/learning_csv.hpp"
#include "analysis/results/files/trace_json.hpp"
#include "analysis/results/result.hpp"

namespace starling {

/// The kind of the results in a folder, and whether they may replace others.
struct ResultsKind {
  std::string scenario_hash = {};  // of the scenario that runs, by ScenarioHash
  /// The folder of the files that the scenario names by relative paths; empty if it names none.
  std::filesystem::path scenario_folder = {};
  bool is_measured = false;
  bool may_replace = false;  // whether a finished prediction may be replaced
};

/// The folder that a run's files go to: result.json, iterations.csv and, if wanted, learning.csv and
/// trace.json.
///
/// While the run goes on they are called result.partial.json and so on, and hold what is finished: after
/// every algorithm the result so far is on disk, so a crash loses one algorithm at most. They get their names
/// at the end, result.json last: if it exists, all files are complete. It is replaced only if that is asked
/// for, by a complete result, and files derived from it are removed with it; a measurement is never replaced.
/// Leftovers of an unfinished run are replaced. While the run goes on, the folder is locked.
class ResultsFolder {
 public:
  /// Makes the folder and its parents. @throws ScenarioError if another run writes to it, if it has a
  /// finished result that may not be replaced, another file of these names, or the results of a sweep, a
  /// design, a map of regimes or a reproduction, or if nothing can be written.
  explicit ResultsFolder(std::filesystem::path folder, ResultsKind kind = {});
  /// Removes the files of a run that failed before anything was saved, except a timeline that is not empty.
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  /// Opens a timeline of that many runs, which the folder owns.
  TraceJson& add_trace(int runs, const TraceSelection& selection = {});

  /// Saves the result so far; `log` is of its last run.
  void save(const Result& result, const IterationLog& log, std::int64_t warmup_iterations);
  /// The two parts of save(), for a run that is not in the result that is saved.
  void save_iterations(const RunResult& run, const IterationLog& log, std::int64_t warmup_iterations);
  void save_result(const Result& result);

  /// Saves the iterations of one of several jobs, and the result so far.
  void save(const Result& result, const JobResult& job, const IterationLog& log);

  /// Saves the complete result and gives all files their names. @throws std::system_error if another
  /// result.json has appeared meanwhile.
  void finish(const Result& result);

  const std::filesystem::path& path() const { return folder_; }
  /// Whether anything was saved.
  bool has_results() const { return has_results_; }
  std::filesystem::path result_path() const;
  std::filesystem::path partial_result_path() const;

 private:
  std::filesystem::path partial(const char* name) const;
  std::string text_of(const Result& result) const;
  void complete(const char* name) const;
  void remove_finished_result() const;
  bool has_finished_result() const;
  bool has_measured_result() const;
  [[noreturn]] void refuse_finished_result(const char* problem) const;
  void refuse_foreign_files() const;
  void remove_leftovers() const;

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
  ResultsKind kind_;
  bool is_new_ = false;
  bool has_results_ = false;
  bool is_finishing_ = false;
  std::optional<IterationsCsv> iterations_;
  std::optional<LearningCsv> learning_;  // once a run has learned something
  std::optional<TraceJson> trace_;
};

}  // namespace starling
