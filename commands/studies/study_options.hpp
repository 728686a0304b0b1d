#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/studies/sweep_store.hpp"
#include "commands/shared/command.hpp"
#include "io/progress_line.hpp"

namespace starling {

/// More runs than this are not begun before somebody has said so.
inline constexpr std::int64_t most_unconfirmed_runs = 10'000;

/// `what` is run with so many seeds: "combination".
void add_seeds(Command& command, std::optional<int>& seeds, std::string_view what);
void add_jobs(Command& command, std::optional<int>& jobs);
void add_confirmation(Command& command, bool& is_confirmed);

/// --jobs; as many as there are cores if it is not given. @throws UsageError if it is out of range.
int checked_jobs(const std::optional<int>& jobs);

/// Draws what gnuplot's script says; if it cannot, warns, as a picture is not worth losing the rest for.
void draw_or_warn(const std::string& script, const std::filesystem::path& picture);

/// Warns where a progress line may stand, which has to live as long.
std::function<void(const std::string&)> warning_above(ProgressLine& progress);

/// Of what is to be said of the means of many runs, warns of the first one, and at the end of how many more
/// there were.
class RepeatedWarning {
 public:
  /// `others`: of what there are more, "other means …". `progress` must outlive this object.
  RepeatedWarning(ProgressLine& progress, std::string others)
      : progress_(progress), others_(std::move(others)) {}

  /// `conditions`: under which the run was made.
  void add(const std::string& warning, const std::string& conditions);
  void end() const;

 private:
  ProgressLine& progress_;
  std::string others_;
  std::int64_t added_ = 0;
};

/// Warns of what was not said before.
class WarningsOnce {
 public:
  /// `progress` must outlive this object.
  explicit WarningsOnce(ProgressLine& progress) : progress_(progress) {}

  /// `conditions`: under which the run was made; the same warning is not told again under others.
  void add(const std::string& warning, const std::string& conditions);

 private:
  ProgressLine& progress_;
  std::set<std::string> told_;
};

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

}  // namespace starling
