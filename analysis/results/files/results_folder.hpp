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

/// What the results in a folder are.
struct ResultsKind {
  std::string scenario_hash = {};  // of what runs, by ScenarioHash
  /// In which the files are that the scenario names by relative paths; empty where it names none.
  std::filesystem::path scenario_folder = {};
  bool is_measured = false;
  bool may_replace = false;  // a finished prediction
};

/// The folder that a run's files go to: result.json, iterations.csv and, if wanted, trace.json.
///
/// While the run goes on they are called result.partial.json and so on, and hold what is finished: after
/// every algorithm the result so far is on disk, so a crash loses one algorithm at most. They get their names
/// at the end, result.json last: where it exists, and only there, all files are complete. It is not replaced
/// unless that is asked for, and then by a complete one, and what was made of it goes with it; a measurement
/// never is. Leftovers of an unfinished run are replaced. As long as the run goes on, the folder is locked.
class ResultsFolder {
 public:
  /// Makes the folder, and those above it. @throws ScenarioError if another run writes to it, if a finished
  /// result is there and not to be replaced, or another file of these names, or what a sweep, a design, a map
  /// of regimes or a reproduction has found, or if nothing can be written.
  explicit ResultsFolder(std::filesystem::path folder, ResultsKind kind = {});
  /// Of a run that failed before anything was finished, nothing stays behind but its timeline.
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  /// Asks for a timeline of that many runs; belongs to the folder.
  TraceJson& add_trace(int runs, const TraceSelection& selection = {});

  /// Saves the result so far; `log` is of its last run.
  void save(const Result& result, const IterationLog& log, std::int64_t warmup_iterations);
  /// The two parts of that, where a run is not of the result that is saved.
  void save_iterations(const RunResult& run, const IterationLog& log, std::int64_t warmup_iterations);
  void save_result(const Result& result);

  /// Saves what one of several jobs has, after each of them.
  void save(const Result& result, const JobResult& job, const IterationLog& log);

  /// The result is complete: gives all files their names. @throws std::system_error if another result.json
  /// has appeared meanwhile.
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
