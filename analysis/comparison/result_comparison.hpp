#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// An input that is not the same in all results.
struct InputDifference {
  std::string pointer;                 // JSON pointer, behind the algorithm's label if it is an option of one
  std::vector<nlohmann::json> values;  // of each result; null where it has none
};

/// By how much a part of the mean iteration is longer than in the first result, in seconds.
struct PartDifference {
  std::string key;   // as in `breakdown_s` of result.json
  std::string name;  // as in tables
  double difference_s = 0;
};

/// The link with the greatest lower bound of the iteration time.
struct BusiestLink : SavedLink {
  std::int64_t as_busy = 0;  // how many other links have the same bound
};

/// By how much a link's times per iteration are longer than in the first result.
struct LinkDifference {
  std::string name;
  double bound_s = 0;        // of the lower bound of an iteration that follows from the link's bytes
  double busy_s = 0;         // of the time in which it is busy
  std::int64_t as_much = 0;  // how many other links changed by as much
};

/// A range of iterations by their numbers, both ends included.
struct IterationNumbers {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const IterationNumbers&) const = default;
};

/// The iterations that two results both count, compared by their numbers.
struct AlignedIterations {
  std::int64_t count = 0;
  /// Correlation of the iterations' durations (means over workers), −1 … 1; absent if either does not vary.
  std::optional<double> correlation = {};
  /// Standard deviation of the differences of durations.
  double difference_std_s = 0;
};

/// The difference of an algorithm in another result from the first result.
struct RunDifference {
  double mean_s = 0;        // mean iteration time in the other result
  double difference_s = 0;  // of the means
  /// The 95 % interval of the difference. If both results count the same iterations of one seed, and enough
  /// of them for the patterns of both, it is that of the differences iteration by iteration. If both have the
  /// same several seeds, it is that of the differences seed by seed. Otherwise it combines both intervals as
  /// those of independent means. Absent if a result has no interval, if its iteration times drift, or if it
  /// counts parts of a period. A difference within rounding errors is 0.
  std::optional<Interval> interval_95_s = {};
  std::vector<PartDifference> parts = {};  // sum to the difference; the greatest first
  /// Differences of the critical path, in total by what it is spent on (`path`), and by rank and link
  /// (`path_parts`); the greatest first. Empty if either result has no critical path.
  std::vector<PartDifference> path = {};
  std::vector<PartDifference> path_parts = {};
  std::optional<BusiestLink> busiest = {};  // absent if the result has no links
  /// The link that changed most; absent if either result has no links, or none changed by 1 % of an
  /// iteration.
  std::optional<LinkDifference> changed_link = {};
  /// The counted iterations of the other result. Absent without iterations.csv, with several seeds, and if
  /// the first result has another number of workers.
  std::optional<IterationNumbers> counted = {};
  /// Absent if `counted` of either result is absent, or they have no iteration in common.
  std::optional<AlignedIterations> aligned = {};

  /// Whether the interval excludes 0; true if there is no interval.
  bool is_significant() const { return !interval_95_s || !interval_95_s->holds(0); }
};

/// An algorithm that all results have, compared with the first result.
struct ComparedRun {
  std::string label;
  double first_mean_s = 0;
  std::optional<BusiestLink> first_busiest = {};
  std::optional<IterationNumbers> first_counted = {};
  std::vector<RunDifference> others;  // of the second result, the third one, …
};

/// The comparison of two results or more.
struct Comparison {
  std::vector<std::string> names;  // of the results
  std::vector<InputDifference> inputs;
  std::vector<ComparedRun> runs;
  /// Labels of algorithms that only some results have.
  std::vector<std::string> not_in_all;
};

/// Compares results, at least two, with the first of them. Reads the iterations.csv beside each result.json,
/// if there is one. @throws ScenarioError if no algorithm is in all results, or an iterations.csv is damaged
/// or belongs to another run than the result beside it.
Comparison compare_results(std::span<const SavedResult> results);

}  // namespace starling
