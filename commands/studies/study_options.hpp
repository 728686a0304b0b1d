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

/// More runs than this are not begun before somebody has said so.
inline constexpr std::int64_t most_unconfirmed_runs = 10'000;

/// `what` is run with so many seeds: "combination".
void add_seeds(Command& command, std::optional<int>& seeds, std::string_view what);
void add_jobs(Command& command, std::optional<int>& jobs);
void add_confirmation(Command& command, bool& is_confirmed);
void add_run_limit(Command& command, std::optional<std::string>& limit);

/// --jobs; as many as there are cores if it is not given. @throws UsageError if it is out of range.
int checked_jobs(const std::optional<int>& jobs);

/// --run-limit. @throws ScenarioError if it is no time, or none at all.
std::optional<RunLimit> checked_run_limit(const std::optional<std::string>& limit);

/// Draws what gnuplot's script says; if it cannot, warns, as a picture is not worth losing the rest for, and
/// removes the older one.
void draw_or_warn(const std::string& script, const std::filesystem::path& picture);
/// Removes a picture of other answers than those beside it, if there is one.
void remove_older(const std::filesystem::path& picture);

/// Tells the doubts about a study's runs.
class ToldDoubts {
 public:
  /// `progress` must outlive this object.
  explicit ToldDoubts(ProgressLine& progress);
  /// `conditions`: under which the run was made.
  void add(const Doubt& doubt, const std::string& conditions);
  /// Says how many more there were.
  void end() const;

 private:
  RepeatedWarning decided_by_ties_;
  RepeatedWarning of_partial_periods_;
  WarningsOnce of_uneven_traffic_;
  RepeatedWarning unsettled_;
};

/// Tells what a study's runs had for a transport where none is given, and where hosts move less than links.
class ToldTransports {
 public:
  /// `progress` must outlive this object.
  explicit ToldTransports(ProgressLine& progress);
  /// `conditions`: under which the run was made.
  void add(const SweepRun& run, const std::string& conditions);
  /// Says of how many more hosts move less.
  void end() const;
  /// Which transports were taken, a line; empty if all were given.
  std::string text() const;

 private:
  struct Taken {
    std::int64_t first = 0;       // of the combinations
    std::string conditions = {};  // of that one
    std::int64_t combinations = 0;
  };

  RepeatedWarning of_hosts_;
  std::map<std::string, Taken> taken_;  // by its name
};

}  // namespace starling
