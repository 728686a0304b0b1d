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

/// Where something stands that a sweep is made of, for errors to name.
struct SweepPlace {
  std::string file = "sweep";  // or the command-line option
  std::string pointer = {};    // JSON pointer in the file
};

/// Values of a scenario that vary together: point i gives each pointer its i-th value; null leaves what the
/// base has.
struct SweepAxis {
  std::vector<std::string> pointers;
  std::vector<std::vector<nlohmann::json>> points;  // as many values as pointers, each
  SweepPlace place = {};
};

/// Combinations that are left out: those in which each of these pointers has one of these values.
struct SweepFilter {
  std::vector<std::pair<std::string, std::vector<nlohmann::json>>> when;
  std::string reason;
  SweepPlace place = {};  // of `when`
};

/// A scenario in many variants: every point of every axis with every point of the others, each with as many
/// seeds. Combinations are numbered, the last axis varying fastest.
class SweepPlan {
 public:
  /// `base` and what varies. @throws ScenarioError if an axis varies nothing, or a pointer varies twice, or
  /// replaces an earlier one, or a filter names what does not vary, or a value that it does not vary to.
  SweepPlan(ScenarioDocument base, std::vector<SweepAxis> axes, std::vector<SweepFilter> filters, int seeds);

  /// The plan as a store keeps it, and the plan that is read from there; files keep the base's place.
  nlohmann::json saved() const;
  static SweepPlan from_saved(const nlohmann::json& saved);

  const std::vector<std::string>& pointers() const { return pointers_; }
  /// Of which each is run with so many seeds.
  std::int64_t combinations() const { return combinations_; }
  int seeds() const { return seeds_; }

  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// Which point each axis has in a combination, and the other way round.
  std::vector<std::size_t> points_of(std::int64_t combination) const;
  std::int64_t combination_of(const std::vector<std::size_t>& points) const;
  /// The `number`-th of the combinations in which an axis has this one of its points.
  std::int64_t combination_with(std::size_t axis, std::size_t point, std::int64_t number) const;

  /// The value of each pointer.
  std::vector<nlohmann::json> values(std::int64_t combination) const;
  /// Whether all that the other one runs is run here, too.
  bool contains(const SweepPlan& other) const;
  /// Why a combination is left out, if it is.
  std::optional<std::string> filtered(std::int64_t combination) const;
  /// The scenario of a combination. Its seed is that of the combination, counted up by `replication`.
  /// Errors in a value that varies name the option that varies it. @throws ScenarioError if a pointer leads
  /// nowhere.
  ScenarioDocument document(std::int64_t combination, int replication) const;

 private:
  void add_pointers(const SweepAxis& axis);
  void check_filter(const SweepFilter& filter) const;
  /// All that a pointer varies to.
  nlohmann::json values_of(const std::string& pointer) const;

  ScenarioDocument base_;
  std::vector<SweepAxis> axes_;
  std::vector<SweepFilter> filters_;
  int seeds_;
  std::vector<std::string> pointers_;
  std::vector<std::string> given_by_;  // what varies each of them, as errors call it
  std::int64_t combinations_ = 1;
};

}  // namespace starling
