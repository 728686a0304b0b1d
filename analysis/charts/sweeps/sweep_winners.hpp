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

/// Gathers what combinations found. Those that differ by nothing but algorithms compete with each other.
class SweepCompetition {
 public:
  /// `plan` must outlive this object.
  explicit SweepCompetition(const SweepPlan& plan);

  /// In order of combinations. `place`: of the algorithm, in its scenario.
  void add(std::int64_t combination, std::size_t place, FoundTime time);
  /// Each of the first of the combinations that compete; none of those that have one algorithm. Algorithms
  /// that have the same label are told apart by what varies of them.
  std::vector<SweepWinner> winners() const;

 private:
  struct Entry {
    std::int64_t combination;
    std::size_t place;
    std::string algorithm;  // what of it is given, where that varies
    FoundTime time;
  };

  std::string name_of(const Entry& entry) const;

  const SweepPlan& plan_;
  bool are_varied_;  // algorithms
  std::vector<std::vector<Entry>> groups_;
  std::map<std::string, std::size_t> group_at_;                          // by what varies besides algorithms
  std::map<std::string, std::map<std::string, std::int64_t>> variants_;  // of a label, each with where it is
};

/// Whether what varies there is algorithms, which compete.
bool is_of_algorithms(const std::string& pointer);

/// "4", "4 and 8", "2, 4 and 8".
std::string listed(const std::vector<std::string>& texts);

}  // namespace starling
