#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// Returns the next combination at each call, and nullopt after the last one.
using CombinationSource = std::function<std::optional<std::int64_t>()>;

/// Collects the combinations of a sweep that cannot be read, grouped by their error.
class RefusedCombinations {
 public:
  /// Adds a combination, given as the text of its varied values ("workers=8, seed=1"), and its error.
  void add(const std::string& values, const std::exception_ptr& error);
  /// Throws the first error that was added; returns if there is none. The text of a ScenarioError lists up to
  /// five different errors, each with up to three of the combinations that have it. If all errors have the
  /// same text, that text stands alone, unless `names_combinations` and it names no varied value.
  void throw_all(bool names_combinations = false) const;

 private:
  struct Kind {
    std::string key = {};                  // equal for errors that differ only in the value they print
    std::string text = {};                 // of the first error of this kind
    bool is_same_text = true;              // whether all errors of this kind have this text
    std::vector<std::string> values = {};  // of each combination that has such an error
  };

  std::string text(bool names_combinations) const;

  std::exception_ptr first_;
  std::vector<Kind> kinds_;
};

/// The first combination of the source whose scenario can be read; nullopt if the source is empty. Tries a
/// hundred at most. @throws ScenarioError that gives the reasons if none of these can be read.
std::optional<std::int64_t> first_readable(const SweepPlan& plan, const CombinationSource& source);

/// Looks for values with which no combination can be read, before any run.
///
/// First reads each value of each axis once: the n-th combination that is read has the n-th value of every
/// axis, and the value of the combination `readable` on shorter axes. A value that is in no readable
/// combination so far is then tried in further combinations that have it, until one can be read: in all of
/// them, or, if these are too many, in max(50, values of the longest axis) of them, which together contain
/// every value of every other axis. Such a sample counts as a proof only if all its errors have the same
/// text: an error that depends on the values of other axes rarely does. At most 2 · max(50, values of the
/// longest axis) combinations are read in this second part; an undetected bad value makes its runs fail.
/// @throws ScenarioError that lists the values that no combination can have, with the reasons.
void refuse_values_of_none(const SweepPlan& plan, std::int64_t readable);

}  // namespace starling
