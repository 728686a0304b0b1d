#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

/// Where an axis or a filter of a sweep was read, for errors.
struct SweepPlace {
  std::string file = "sweep";  // the study, or the command-line option
  std::string pointer = {};    // JSON pointer in the file
};

/// Values of a scenario that vary together. Point i sets the scenario's value at pointers[k] to points[i][k];
/// null leaves the base's value.
struct SweepAxis {
  std::vector<std::string> pointers;
  std::vector<std::vector<nlohmann::json>> points;  // each as long as `pointers`
  SweepPlace place = {};
};

/// Leaves out the combinations in which every pointer of `when` has one of its listed values.
struct SweepFilter {
  std::vector<std::pair<std::string, std::vector<nlohmann::json>>> when;
  std::string reason;
  SweepPlace place = {};  // of `when`
};

/// A base scenario in many variants: the Cartesian product of the axes' points, each combination with the
/// same number of seeds. Combinations are numbered from 0, the last axis varying fastest.
class SweepPlan {
 public:
  /// @throws ScenarioError if an axis has no points, a pointer varies twice or lies above one that varies
  /// before it, a filter names a pointer that does not vary or a value that it does not vary to, or there are
  /// more than 10¹² combinations.
  SweepPlan(ScenarioDocument base, std::vector<SweepAxis> axes, std::vector<SweepFilter> filters, int seeds);

  /// The plan as JSON, as a store keeps it, and back. Relative paths in the base still start from its folder.
  /// from_saved() throws json::exception if a key is missing, and ScenarioError as the constructor.
  nlohmann::json saved() const;
  static SweepPlan from_saved(const nlohmann::json& saved);

  /// All pointers that vary, in the order of the axes.
  const std::vector<std::string>& pointers() const { return pointers_; }
  /// The number of combinations, filtered ones included.
  std::int64_t combinations() const { return combinations_; }
  /// The number of seeds that each combination is run with.
  int seeds() const { return seeds_; }

  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// The index of each axis's point in a combination, and the combination with these points.
  std::vector<std::size_t> points_of(std::int64_t combination) const;
  std::int64_t combination_of(const std::vector<std::size_t>& points) const;
  /// The `number`-th (from 0) of the combinations in which `axis` has its point `point`.
  std::int64_t combination_with(std::size_t axis, std::size_t point, std::int64_t number) const;

  /// The value of each pointer in a combination.
  std::vector<nlohmann::json> values(std::int64_t combination) const;
  /// Whether this plan has every scenario of the other one, with at least as many seeds. O(combinations of
  /// both).
  bool contains(const SweepPlan& other) const;
  /// The reason why a combination is left out; nullopt if it is not.
  std::optional<std::string> filtered(std::int64_t combination) const;
  /// The scenario of a combination. Its seed is that of the combination plus `replication`, which counts from
  /// 0. Errors in a varied value name the option, or the place in the study, that varies it. @throws
  /// ScenarioError if a pointer leads nowhere.
  ScenarioDocument document(std::int64_t combination, int replication) const;

 private:
  void add_pointers(const SweepAxis& axis);
  void check_filter(const SweepFilter& filter) const;
  /// All values that a pointer varies to, as an array.
  nlohmann::json values_of(const std::string& pointer) const;

  ScenarioDocument base_;
  std::vector<SweepAxis> axes_;
  std::vector<SweepFilter> filters_;
  int seeds_;
  std::vector<std::string> pointers_;
  std::vector<std::string> given_by_;  // for each pointer, how errors name what varies it
  std::int64_t combinations_ = 1;
};

}  // namespace starling
