#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// The iteration time of an algorithm in a combination.
struct FoundTime {
  std::string algorithm;
  double mean_s = 0;
  std::optional<Interval> interval_95_s = {};
};

/// The algorithm that is the fastest in a combination by the mean, or several if they tie.
struct SweepWinner {
  /// A winner is sure if no other interval overlaps its own; never if several tie. Untold if no algorithm has
  /// an interval.
  enum class Sureness { for_sure, not_for_sure, unknown };

  std::int64_t combination = 0;
  std::vector<std::string> algorithms;  // in the order of the scenario
  Sureness sureness = Sureness::unknown;
  std::vector<std::string> without_interval = {};  // algorithms without one, if others have one
};

/// The winner of a combination by the times of its algorithms, of which there must be one at least.
SweepWinner winner_of(std::int64_t combination, const std::vector<FoundTime>& times);

/// Collects the times of all combinations. Combinations that differ only in algorithms compete with each
/// other.
class SweepCompetition {
 public:
  /// `plan` must outlive this object.
  explicit SweepCompetition(const SweepPlan& plan);

  /// Adds the time of the `place`-th algorithm of a combination's scenario. Combinations must come in order.
  void add(std::int64_t combination, std::size_t place, FoundTime time);
  /// A winner for each group of combinations that compete, with the number of the first of them; none for a
  /// group with a single algorithm. Algorithms with the same label are distinguished by their options that
  /// vary.
  std::vector<SweepWinner> winners() const;

 private:
  struct Entry {
    std::int64_t combination;
    std::size_t place;
    std::string algorithm;  // its JSON if algorithms vary, else empty
    FoundTime time;
  };

  std::string name_of(const Entry& entry) const;

  const SweepPlan& plan_;
  bool are_varied_;                              // whether algorithms vary
  std::vector<std::vector<Entry>> groups_;       // of combinations that compete
  std::map<std::string, std::size_t> group_at_;  // by the values of all pointers but those of algorithms
  /// The different algorithms of each label, as JSON, with the first combination that has them.
  std::map<std::string, std::map<std::string, std::int64_t>> variants_;
};

/// Whether a pointer varies algorithms or their options.
bool is_of_algorithms(const std::string& pointer);

/// A list in words: "4", "4 and 8", "2, 4 and 8". There must be one text at least.
std::string listed(const std::vector<std::string>& texts);

}  // namespace starling
