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

/// What an iteration takes may depend on less of a number in another way than on more of it, as of one of two
/// links that are alike: the elasticity between the number as it is and less of it, and more of it.
struct SidesOfKink {
  double less = 0;
  double more = 0;
};

/// How much a number of a scenario matters.
struct NumberSensitivity {
  /// Of the scenario as read; of a list of numbers, which vary together, the list; of the times of a
  /// distribution or a trace, which vary together, what names them.
  std::string pointer;
  nlohmann::json value;  // in SI units; of the times of a distribution or a trace their mean
  /// By how many percent the mean iteration time of each algorithm grows if the number grows by one: the
  /// elasticity d ln(time) / d ln(number).
  std::vector<SampleEstimate> elasticities = {};
  /// Of each algorithm, where these are more than 0.05 apart, and more than two of their standard errors: the
  /// elasticity is the mean of both.
  std::vector<std::optional<SidesOfKink>> kinks = {};
  /// Whether the number could only be made less, or only greater.
  bool is_one_sided = false;
  /// Its pointer with names for numbers of what a list of the cluster holds, as protocols, for people to
  /// read.
  std::string name = {};

  /// The greatest one, whatever its sign.
  double greatest() const;
};

/// What a result follows from, and how much.
struct Sensitivity {
  std::vector<std::string> labels;
  double step = 0;                         // numbers were varied by 1 + step, up and down
  std::vector<NumberSensitivity> numbers;  // the one that matters most first
  /// Of the times of a distribution or a trace that take the place of the workload's, if some do: one of the
  /// numbers.
  std::optional<std::string> times_in_place = {};
};

/// The numbers above 0 of a scenario's cluster and workload that are no counts: bandwidths, latencies, costs,
/// times, disturbances. Each a JSON pointer into the scenario as read.
std::vector<std::string> numbers_that_vary(const nlohmann::ordered_json& as_read);
/// The scenario as read, with the protocols of its transport where it names none, so that these vary, too,
/// and its imbalance by itself where that is no list in the document `written`, into which pointers lead.
nlohmann::ordered_json document_to_vary(const Scenario& scenario, const nlohmann::json& written);

/// Runs the scenario anew with every such number 1.1 and 1/1.1 times as great, with the same seed, so that
/// elasticities are known better than times: two runs for each, by central differences of logarithms, and one
/// as it is where iterations go on until means are known, so that all have as many. A number that must not
/// grow is lessened only, one that must not be less grows only, and one that must not
/// change at all is left out. Where a distribution or a trace gives the compute times, these vary together,
/// as one number more.
///
/// `document` is its document_to_vary(), `result` its own; `varied` is called after every number of that.
/// @throws what simulate() does.
Sensitivity sensitivity_of(const Scenario& scenario, const nlohmann::ordered_json& document,
                           const Result& result, const std::function<void()>& varied = {});

}  // namespace starling
