#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/studies/run_in_process.hpp"
#include "analysis/studies/sweep_store.hpp"
#include "commands/shared/command.hpp"
#include "commands/shared/repeated_warnings.hpp"

namespace starling {

/// Studies with more runs than this need --yes.
inline constexpr std::int64_t most_unconfirmed_runs = 10'000;

/// `what` says in the help what is run with each seed: "combination".
void add_seeds(Command& command, std::optional<int>& seeds, std::string_view what);
void add_jobs(Command& command, std::optional<int>& jobs);
void add_confirmation(Command& command, bool& is_confirmed);
void add_run_limit(Command& command, std::optional<std::string>& limit);

/// The value of --jobs; the number of cores if it is not given. @throws UsageError if it is out of range.
int checked_jobs(const std::optional<int>& jobs);

/// The value of --run-limit. @throws ScenarioError if it is not a time above 0.
std::optional<RunLimit> checked_run_limit(const std::optional<std::string>& limit);

/// Draws a picture by a gnuplot script. If that fails, warns instead of throwing, so that the other results
/// are not lost, and removes an older picture.
void draw_or_warn(const std::string& script, const std::filesystem::path& picture);
/// Removes a picture that belongs to earlier results, if there is one.
void remove_older(const std::filesystem::path& picture);

/// Prints warnings about the runs of a study, each kind once.
class StudyWarnings {
 public:
  /// `progress` must outlive this object.
  explicit StudyWarnings(ProgressLine& progress);
  /// `conditions` identify the run.
  void add(const RunWarning& warning, const std::string& conditions);
  /// Prints how many more warnings of each kind there were.
  void end() const;

 private:
  RepeatedWarning decided_by_ties_;
  RepeatedWarning unchecked_ties_;
  RepeatedWarning of_partial_periods_;
  WarningsOnce of_uneven_traffic_;
  RepeatedWarning unsettled_;
};

/// Reports the transports of a study's runs where scenarios name none, and warns where `host_rate` is below
/// the bandwidth of cables.
class ReportedTransports {
 public:
  /// `progress` must outlive this object.
  explicit ReportedTransports(ProgressLine& progress);
  /// `conditions` identify the run. Only the first seed of each combination counts.
  void add(const SweepRun& run, const std::string& conditions);
  /// Prints for how many more combinations `host_rate` limits cables.
  void end() const;
  /// A line with the transports that were chosen; empty if scenarios named all.
  std::string text() const;

 private:
  struct Taken {
    std::int64_t first = 0;       // the first combination with this transport
    std::string conditions = {};  // those of that combination
    std::int64_t combinations = 0;
  };

  RepeatedWarning of_hosts_;
  std::map<std::string, Taken> taken_;  // by name of the transport
};

}  // namespace starling
