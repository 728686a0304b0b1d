#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/result.hpp"
#include "analysis/statistics/estimate.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// The elasticities for a decrease and an increase of a number, where these differ, as for one of two links
/// that are alike.
struct SidesOfKink {
  double less = 0;
  double more = 0;
};

/// How much iteration times depend on a number of a scenario.
struct NumberSensitivity {
  /// Into the scenario as read; for a list of numbers, which vary together, that of the list; for the times
  /// of a distribution or a trace, which vary together, that of the key that names it.
  std::string pointer;
  nlohmann::json value;  // in SI units; for the times of a distribution or a trace their mean
  /// By how many percent the mean iteration time of each algorithm grows if the number grows by one: the
  /// elasticity d ln(time) / d ln(number).
  std::vector<SampleEstimate> elasticities = {};
  /// Of each algorithm, where both sides are more than 0.05 apart, and more than two of their standard
  /// errors; the elasticity then is the mean of both.
  std::vector<std::optional<SidesOfKink>> kinks = {};
  /// Whether the number could only be decreased, or only increased.
  bool is_one_sided = false;
  /// Its pointer for people to read: elements of the cluster's lists, such as protocols, go by their names.
  std::string name = {};

  /// The greatest absolute elasticity.
  double greatest() const;
};

/// How much a result depends on the numbers of its scenario.
struct Sensitivity {
  std::vector<std::string> labels;
  double step = 0;                         // numbers were multiplied and divided by 1 + step
  std::vector<NumberSensitivity> numbers;  // the one that matters most first
  /// The pointer of the number that stands for the times of a distribution or a trace, if these replace the
  /// workload's.
  std::optional<std::string> times_in_place = {};
};

/// JSON pointers, into the scenario as read, of the numbers of its cluster and workload that are above 0 and
/// no counts: bandwidths, latencies, costs, times, disturbances.
std::vector<std::string> numbers_that_vary(const nlohmann::ordered_json& as_read);
/// The scenario as read, with two changes: the protocols of its transport are added where it has none, so
/// that these vary, too; and its imbalance is no list where it is none in the document `written`, so that
/// pointers fit that.
nlohmann::ordered_json document_to_vary(const Scenario& scenario, const nlohmann::json& written);

/// Runs the scenario with each of these numbers multiplied and divided by 1.1, with the same seed, so that
/// elasticities are known more precisely than times: two runs for each number, by central differences of
/// logarithms, and one run without a change where iterations go on until means are precise, so that all have
/// equally many. A number that can only decrease or increase has one run, and one that can do neither is left
/// out. Where a distribution or a trace gives the compute times, these vary together, as one further number.
///
/// `document`: the scenario's document_to_vary(); `result`: its own; `varied` is called after each number of
/// `document`.
/// @throws what simulate() does.
Sensitivity sensitivity_of(const Scenario& scenario, const nlohmann::ordered_json& document,
                           const Result& result, const std::function<void()>& varied = {});

}  // namespace starling
