#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "sim/agenda/explanation.hpp"

namespace starling {

/// Time of an iteration that was spent on one thing.
struct PathPart {
  SpentOn on = SpentOn::unknown;
  Rank rank = -1;         // whose compute, delay, reduction, overhead or timer; −1 of the others
  std::string link = {};  // the link's name; empty of the others
  std::string job = {};   // the job whose rank it is, if that is another one
  double s = 0;
};

/// What the mean iteration had to wait for, as mean over workers and counted iterations.
struct CriticalPath {
  /// The sum of all parts: the mean iteration time but for rounding.
  double iteration_s = 0;
  /// The greatest first; those of 0 s are left out.
  std::vector<PathPart> parts = {};

  /// What is spent on that by all ranks, or all links, together.
  double spent_s(SpentOn on) const;
};

/// What the parts of a result are called, in the order of SpentOn.
inline constexpr std::array spent_on_names = {"compute", "delay", "reduction", "overhead",
                                              "timer",   "link",  "latency",   "unknown"};

/// The block `critical_path` of a run in result.json.
nlohmann::ordered_json critical_path_json(const CriticalPath& path);

/// What an iteration of `label` was spent on in all, and the ten greatest parts.
std::string critical_path_table(const CriticalPath& path, const std::string& label);
/// What the words mean, to follow such tables. `may_vary`: whether --sensitivity may be asked for.
std::string critical_path_note(bool may_vary);

}  // namespace starling
