#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// How far predictions were off, to say how far others will be: conformal prediction, whose score is
/// |ln(predicted / actual)|. Predictions of one task may be off alike, so that only those of other tasks say
/// anything of one. What follows holds for tasks yet unknown as far as errors of different tasks are alike,
/// whatever makes predictions differ from what comes of them. Several errors of one task count as several,
/// although they tell less than those of as many tasks.
///
/// Reference: Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005, chapter 2.
class PredictionErrors {
 public:
  /// Both above 0.
  void add(std::string task, double predicted, double actual);

  /// f: with probability 0.9 a prediction of a task that is none of these is off by at most that factor, if
  /// its errors are like those of the others. Nothing if these are fewer than nine. O(n log n).
  std::optional<double> factor() const;
  /// predicted/f to predicted·f, with the f of all other tasks.
  std::optional<Interval> interval_of(const std::string& task, double predicted) const;
  /// The same with the f of all tasks.
  std::optional<Interval> interval_of(double predicted) const;

 private:
  struct Error {
    std::string task;
    double score;
  };
  std::vector<Error> errors_;
};

}  // namespace starling
