#pragma once

#include <concepts>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/metrics.hpp"
#include "analysis/results/result.hpp"
#include "analysis/statistics/estimate.hpp"
#include "io/scenario_error.hpp"

namespace starling {

/// @throws ScenarioError that says that a saved file does not have the expected form ("what starling design
/// writes"), and what is wrong in it.
[[noreturn]] void refuse_form(const std::filesystem::path& file, const nlohmann::json::exception& error,
                              const std::string& expected);

/// "written by starling 0.1.0, and this is 0.2.0" if a saved file says so; empty if it was written by this
/// version, or does not name one.
std::string other_version_text(const nlohmann::json& document);

/// Calls `read`, which reads the JSON of a saved file. If it throws a ScenarioError and the file was written
/// by another version, the error says so.
template <std::invocable Read>
auto naming_version(const nlohmann::json& document, const Read& read) {
  try {
    return read();
  } catch (const ScenarioError& error) {
    ScenarioError::Description description = error.description();
    if (const std::string text = other_version_text(document); !text.empty())
      description.problem += " (" + text + ")";
    throw ScenarioError(description);
  }
}

/// Calls `read`, which reads the JSON of a saved file. @throws ScenarioError as refuse_form() if something is
/// missing in it or has another type.
template <std::invocable Read>
auto naming_file(const std::filesystem::path& file, const std::string& expected, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    refuse_form(file, error, expected);
  }
}

/// What errors name as the expected file.
inline constexpr const char* written_result =
    "what `starling run --out` or `starling native --out` has written";

/// A link in a result.json that has links.
struct SavedLink {
  std::string name;
  double bytes_per_iteration = 0;
  double bound_s = 0;  // its bytes of an iteration over its bandwidth
  double busy_fraction = 0;
};

/// A part of the mean iteration's critical path in a result.json that has it.
struct SavedPathPart {
  std::string spent_on;  // as in result.json
  std::string what;      // with the rank or link: "compute of rank 3"
  double s = 0;
};

/// One algorithm in a result.json.
struct SavedRun {
  std::string label;
  nlohmann::json algorithm;  // its block, defaults filled in
  int workers = 0;
  std::int64_t pattern_period = 1;  // as in RunResult
  std::int64_t least_batch = 1;     // the same
  double mean_s = 0;                // of an iteration
  Breakdown breakdown_s;
  std::optional<Interval> interval_95_s = {};  // of the mean
  std::optional<Interval> interval_90_s = {};  // in which a measurement lies
  bool is_drifting = false;                    // iterations still changed while they were counted
  std::vector<SavedLink> links = {};
  std::vector<SavedPathPart> path = {};
  std::int64_t seeds = 1;                      // how many seeds the times are means of
  std::vector<Replication> replications = {};  // empty for a single seed
  /// In results of measurements only.
  std::optional<std::int64_t> repetitions;
  std::optional<double> coefficient_of_variation;
  std::optional<double> mean_late_s = {};  // of computing, per iteration
  /// In results of measurements and of simulations.
  std::optional<std::int64_t> iterations = {};
  std::optional<double> bytes_per_worker_per_iteration = {};

  /// Its algorithm's block as it was asked for: without what the run added, such as a bucket size found by
  /// search.
  nlohmann::json asked_for() const;
};

/// A result.json that was read.
struct SavedResult {
  std::filesystem::path file;
  nlohmann::json scenario;  // as read, defaults filled in
  std::string engine;       // a network model, or measured_engine
  std::vector<SavedRun> runs;
  nlohmann::json document = {};  // all of it, as `starling schema result` describes

  bool is_measured() const { return engine == measured_engine; }
  /// Whether it has several jobs in place of algorithms.
  bool has_jobs() const { return document.contains("jobs"); }
  /// What its blocks are called: "job" or "algorithm".
  std::string owner() const { return has_jobs() ? "job" : "algorithm"; }
  /// The run of that label; null if there is none.
  const SavedRun* run_named(const std::string& label) const;
};

/// Whether two results are of equal scenarios, by the same version, that name files with different contents.
bool have_other_files(const SavedResult& first, const SavedResult& second);

/// The blocks of a result.json that have figures: one for each algorithm, or for each of several jobs.
const nlohmann::json& blocks_of(const nlohmann::json& result);
/// The label of a block's algorithm, or the name of its job.
std::string label_of(const nlohmann::json& block);

/// The number of counted iterations in a block if these are no whole periods, as the other
/// counted_partially().
std::optional<std::int64_t> counted_partially(const nlohmann::json& block);

/// An interval in a run's block; absent if it is missing or null.
std::optional<Interval> saved_interval(const nlohmann::json& run, const char* key);

/// Reads a result from its folder, or from the file itself. @throws ScenarioError if there is none, it is not
/// finished or not of the form that `starling schema result` describes.
SavedResult read_result(const std::filesystem::path& folder_or_file);

}  // namespace starling
