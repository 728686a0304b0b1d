#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"

namespace starling {

/// Tells combinations one by one; none after the last one.
using CombinationSource = std::function<std::optional<std::int64_t>()>;

/// Combinations of a sweep that cannot be run, by what is wrong with them.
class RefusedCombinations {
 public:
  /// `values`: what varies in it, "workers=8, seed=1".
  void add(const std::string& values, const std::exception_ptr& error);
  /// Throws the first error, if there is one. If it is a ScenarioError its text goes on with the others, each
  /// with the values that it comes with, as far as there are not too many, and unless all say the same.
  void throw_all() const;

 private:
  struct Kind {
    std::string key = {};                  // alike for errors that say the same of other values
    std::string text = {};                 // of the first of them
    bool is_same_text = true;              // of all of them
    std::vector<std::string> values = {};  // of each
  };

  std::string text() const;

  std::exception_ptr first_;
  std::vector<Kind> kinds_;
};

/// The first of these that can be read; none if there are none. @throws ScenarioError that says why none of
/// the first hundred can be.
std::optional<std::int64_t> first_readable(const SweepPlan& plan, const CombinationSource& source);

/// Reads every value of every axis once, one of each axis at a time, beside those of a combination that can
/// be read. One that was refused is looked at in others of its combinations, until one can be read: in all of
/// them; or, where these are too many, in fifty, or as many as the longest axis has values if these are more,
/// in which every value of every other axis comes, and as long as the problem is the same word for word, as
/// one that follows from others beside it seldom is. Looks at twice as many at most; what is wrong with
/// values that are left is an error of their runs. @throws ScenarioError that says why of the values that no
/// combination can have.
void refuse_values_of_none(const SweepPlan& plan, std::int64_t readable);

}  // namespace starling
