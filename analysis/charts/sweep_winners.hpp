#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_tables.hpp"

namespace starling {

/// What a combination found of one algorithm.
struct FoundTime {
  std::string algorithm;
  double mean_s = 0;
  std::optional<Interval> interval_95_s = {};
};

/// Who is the fastest in a combination by the mean: one, or several that take as long.
struct SweepWinner {
  /// For sure is one that has no other interval over its own, never several; where none has an interval
  /// nothing tells.
  enum class Sureness { for_sure, not_for_sure, untold };

  std::int64_t combination = 0;
  std::vector<std::string> algorithms;  // in the order of the scenario
  Sureness sureness = Sureness::untold;
  std::vector<std::string> without_interval = {};  // where others have one
};

/// Of at least one time.
SweepWinner winner_of(std::int64_t combination, const std::vector<FoundTime>& times);

/// How often each is the fastest, how sure that is, and on what it depends, in sentences. `dimensions` are
/// those of sweep_axes: one for each pointer of the plan, then the algorithms.
std::vector<std::string> answer_of(const SweepPlan& plan, const nlohmann::json& dimensions,
                                   const std::vector<SweepWinner>& winners);

/// Where each is the fastest, in a sentence; empty if it is the same one everywhere.
std::string where_fastest_text(const SweepPlan& plan, const nlohmann::json& dimensions,
                               const std::vector<SweepWinner>& winners);

}  // namespace starling
