#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// A part of the iteration, predicted and measured; seconds.
struct PhaseComparison {
  BreakdownPart part;
  double predicted_s = 0;
  double measured_s = 0;

  double difference_s() const { return predicted_s - measured_s; }
};

/// One algorithm on one cluster under one imbalance: its mean iteration time, predicted and measured.
struct ValidationCase {
  std::string scenario;
  std::string label;
  std::string network;    // in words, as "star 25.00 MB/s 20.00 us"
  std::string imbalance;  // in words, as "lognormal", "none"
  int workers = 0;
  std::string engine;  // of the prediction
  double predicted_s = 0;
  double measured_s = 0;
  std::optional<Interval> interval_90_s = {};  // around the prediction, in which the measurement should lie
  std::optional<std::int64_t> repetitions;
  std::optional<double> coefficient_of_variation;  // of the measurement, over its repetitions
  Breakdown predicted_breakdown_s;
  Breakdown measured_breakdown_s;

  /// predicted / measured − 1.
  double relative_error() const { return predicted_s / measured_s - 1; }
  std::vector<PhaseComparison> phases() const;
  /// Phase of the iteration whose predicted and measured times differ most.
  PhaseComparison phase_that_differs() const;
};

/// The errors of a group of cases: of one algorithm under one imbalance on one network, or of all cases.
struct ValidationGroup {
  std::string label;
  std::string imbalance;
  std::string network;
  int cases = 0;
  double mean_abs_error = 0;
  double worst_abs_error = 0;
  /// Mean over the cases that have repetitions.
  std::optional<double> coefficient_of_variation = {};
  /// Cases whose predictions have an interval, and those of them whose measurements lie inside.
  int with_interval = 0;
  int inside_interval = 0;
};

/// A comparison of predictions with measurements.
struct Validation {
  std::vector<ValidationCase> cases;
  /// e, such that in another situation nine of ten measurements will lie between prediction / (1 + e) and
  /// prediction · (1 + e), if errors there are like those here (PredictionErrors); absent below nine cases.
  std::optional<double> model_error = {};
  /// What makes a comparison less than fair, one sentence each.
  std::vector<std::string> warnings;
  /// How many cases of a study could not be measured; the warnings name them.
  int failed_cases = 0;
};

/// Compares a prediction with a measurement, algorithm by algorithm in the order of the prediction.
///
/// Algorithms that only one side has are left out, with a warning. There are also warnings about different
/// seeds, lengths, networks or versions, about means over several seeds compared with one, and about
/// iterations that still drifted while they were counted.
/// @throws ScenarioError if `predicted` is a measurement or `measured` is not, if cluster sizes, workloads or
/// algorithms of the same label differ (each difference is named), if no algorithm is in both, or if a
/// measured iteration takes no time.
///
/// The contents of files that a scenario names are compared by their effects: compute times, and the bytes of
/// algorithms that send the same in every iteration.
Validation compare(const SavedResult& predicted, const SavedResult& measured);

/// How the job of a scenario, as read, differs from the one that was measured, one sentence each. Keys that
/// only predictions depend on do not count, nor keys that another version did not know.
std::vector<std::string> differences_from_measured(const nlohmann::json& scenario,
                                                   const SavedResult& measured);

/// Gives every case without an interval the one in which its measurement should lie with probability 0.9,
/// from the errors in other situations (a situation is network, workers and imbalance), and sets model_error
/// from all cases.
void add_intervals(Validation& validation);

/// The cases grouped by algorithm, imbalance and network, in the order of the groups' first cases.
std::vector<ValidationGroup> groups_of(const std::vector<ValidationCase>& cases);

/// All cases as one group, without names. There must be at least one case.
ValidationGroup summary_of(const std::vector<ValidationCase>& cases);

/// The cases with the largest absolute errors, largest first.
std::vector<ValidationCase> worst_cases(std::vector<ValidationCase> cases, std::size_t most);

}  // namespace starling
