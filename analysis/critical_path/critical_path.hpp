#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "sim/agenda/explanation.hpp"

namespace starling {

/// The time of an iteration that the critical path spends on one rank, link or kind.
struct PathPart {
  SpentOn on = SpentOn::unknown;
  Rank rank = -1;         // of compute, delay, reduction, overhead and timer; −1 for other kinds
  std::string link = {};  // the link's name; empty for other kinds
  std::string job = {};   // the job whose rank it is, if that is another one
  double s = 0;
};

/// The critical path of the mean iteration: the mean over workers and counted iterations.
struct CriticalPath {
  /// The sum of all parts: the mean iteration time up to rounding.
  double iteration_s = 0;
  /// The greatest first; parts that are 0 up to rounding are left out.
  std::vector<PathPart> parts = {};

  /// The time spent on that kind, by all ranks or links together.
  double spent_s(SpentOn on) const;
};

/// The names of kinds in results, in the order of SpentOn.
inline constexpr std::array spent_on_names = {"compute", "delay", "reduction", "overhead",
                                              "timer",   "link",  "latency",   "unknown"};

/// The block `critical_path` of a run in result.json.
nlohmann::ordered_json critical_path_json(const CriticalPath& path);

/// Two tables: the time of an iteration of `label` by kind, and the ten greatest parts.
std::string critical_path_table(const CriticalPath& path, const std::string& label);
/// Explains the kinds, to be put below such tables. `may_vary`: whether the command has --sensitivity.
std::string critical_path_note(bool may_vary);

}  // namespace starling
