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
  std::string engine;  // that predicted
  double predicted_s = 0;
  double measured_s = 0;
  std::optional<Interval> interval_90_s = {};  // of the prediction, in which the measurement should lie
  std::optional<std::int64_t> repetitions;
  std::optional<double> coefficient_of_variation;  // of the measurement, over its repetitions
  Breakdown predicted_breakdown_s;
  Breakdown measured_breakdown_s;

  /// predicted / measured − 1.
  double relative_error() const { return predicted_s / measured_s - 1; }
  std::vector<PhaseComparison> phases() const;
  /// The phase whose prediction is furthest from its measurement.
  PhaseComparison phase_that_differs() const;
};

/// What the cases of one algorithm, or of one algorithm under one imbalance on one network, have in common.
struct ValidationGroup {
  std::string label;
  std::string imbalance;
  std::string network;
  int cases = 0;
  double mean_abs_error = 0;
  double worst_abs_error = 0;
  /// Mean over the cases that were repeated.
  std::optional<double> coefficient_of_variation = {};
  /// Cases whose predictions have an interval, and those of them whose measurements lie inside.
  int with_interval = 0;
  int inside_interval = 0;
};

/// Predicted against measured.
struct Validation {
  std::vector<ValidationCase> cases;
  /// e: nine of ten measurements of a situation unlike these will be within prediction / (1 + e) and
  /// prediction · (1 + e), if errors there are like those here (PredictionErrors); absent below nine cases.
  std::optional<double> model_error = {};
  /// What makes a comparison less than fair, one sentence each.
  std::vector<std::string> warnings;
  /// How many cases of a study could not be measured, which the warnings tell of.
  int failed_cases = 0;
};

/// Puts a prediction beside a measurement, algorithm by algorithm in the order of the prediction.
///
/// Algorithms that only one side has are left out with a warning, as different seeds, lengths or networks are
/// warned of, means over several seeds beside one, and iterations that still changed while they were counted.
/// @throws ScenarioError if `predicted` is measured or the other way round, if cluster sizes, workloads or
/// algorithms of the same label differ (each difference is named), if no algorithm is in both, or if a
/// measured iteration takes no time.
///
/// What files held that a scenario names is told by the work that came of it: how long computing is, and what
/// is sent by algorithms that send the same in every iteration.
Validation compare(const SavedResult& predicted, const SavedResult& measured);

/// How the job that a scenario asks for, as read, differs from the one that was measured, one sentence each;
/// what only predictions follow from is no difference. What an older or a newer version did not know of is
/// none, either.
std::vector<std::string> differences_from_measured(const nlohmann::json& scenario,
                                                   const SavedResult& measured);

/// Gives every case that has no interval the one in which its measurement should lie with probability 0.9,
/// from the errors in other situations (network, workers and imbalance), and notes what all say of others.
void add_intervals(Validation& validation);

/// The cases grouped by algorithm, imbalance and network, in the order of the groups' first cases.
std::vector<ValidationGroup> groups_of(const std::vector<ValidationCase>& cases);

/// All cases as one group, without names. There must be one at least.
ValidationGroup summary_of(const std::vector<ValidationCase>& cases);

/// The cases with the largest absolute errors, largest first.
std::vector<ValidationCase> worst_cases(std::vector<ValidationCase> cases, std::size_t most);

}  // namespace starling
