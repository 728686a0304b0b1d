#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// A value of the scenarios that is not the same in all results.
struct InputDifference {
  std::string pointer;                 // of an option with the label of its algorithm before it
  std::vector<nlohmann::json> values;  // of each result; null where it has none
};

/// How much longer a part of the mean iteration takes than in the first result; seconds.
struct PartDifference {
  std::string key;   // as in `breakdown_s` of result.json
  std::string name;  // as in tables
  double difference_s = 0;
};

struct BusiestLink : SavedLink {
  std::int64_t as_busy = 0;  // how many others have the same bound
};

/// How much longer a link is busy in an iteration than in the first result.
struct LinkDifference {
  std::string name;
  double bound_s = 0;
  double busy_s = 0;
  std::int64_t as_much = 0;  // how many others changed by as much
};

/// Numbers of iterations, both ends included.
struct IterationNumbers {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const IterationNumbers&) const = default;
};

/// The iterations of two results side by side: those of the same number that both count.
struct AlignedIterations {
  std::int64_t count = 0;
  /// Of the durations' means over workers, −1 … 1; absent where one of them does not vary.
  std::optional<double> correlation = {};
  /// The standard deviation of their differences.
  double difference_std_s = 0;
};

/// An algorithm in one result, against the first result.
struct RunDifference {
  double mean_s = 0;
  double difference_s = 0;  // of the means
  /// 95 % of the difference: from the iterations side by side where both count the same ones, of one seed,
  /// and enough of them for the patterns of both together, from the means of runs with the same seed where
  /// there are several, the same ones of both, else from both intervals as if they knew nothing of each
  /// other; absent where results tell of none, and where iterations of either still changed while they were
  /// counted, or are other than whole periods. A difference that is but rounding is 0.
  std::optional<Interval> interval_95_s = {};
  std::vector<PartDifference> parts = {};  // which sum to the difference, the greatest first
  /// What the critical path is spent on, in all, and on each rank and link; the greatest first. None where
  /// either result tells of none.
  std::vector<PartDifference> path = {};
  std::vector<PartDifference> path_parts = {};
  std::optional<BusiestLink> busiest = {};  // by its bound, where the result tells of links
  /// The one that changed most, where both tell of links and one changed by 1 % of an iteration or more.
  std::optional<LinkDifference> changed_link = {};
  /// Absent without an iterations.csv, of several seeds, and of another number of workers than the first.
  std::optional<IterationNumbers> counted = {};
  /// Absent where what either counts is absent, or both count none in common.
  std::optional<AlignedIterations> aligned = {};

  /// Whether the interval does not hold 0; true where there is none.
  bool is_significant() const { return !interval_95_s || !interval_95_s->holds(0); }
};

/// An algorithm that all results have.
struct ComparedRun {
  std::string label;
  double first_mean_s = 0;
  std::optional<BusiestLink> first_busiest = {};
  std::optional<IterationNumbers> first_counted = {};
  std::vector<RunDifference> others;  // of the second result, the third one, …
};

struct Comparison {
  std::vector<std::string> names;  // of the results
  std::vector<InputDifference> inputs;
  std::vector<ComparedRun> runs;
  /// What only some results have.
  std::vector<std::string> not_in_all;
};

/// Compares results with the first of them; at least two. Reads their iterations.csv where there are some.
/// @throws ScenarioError if no algorithm is in all of them, or an iterations.csv is broken or
/// of another run than the result beside it.
Comparison compare_results(std::span<const SavedResult> results);

}  // namespace starling
