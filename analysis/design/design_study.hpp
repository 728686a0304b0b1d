#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "topologies/facts/price_list.hpp"

namespace starling {

/// What a network is chosen for, besides a low price.
enum class DesignObjective { iteration_time, throughput, time_to_loss };

/// The name of an objective in studies: "iteration_time".
std::string name_of(DesignObjective objective);

/// Networks of one kind: variants of the base, one for each combination of a plan.
struct DesignFamily {
  std::string name;
  SweepPlan networks;
  std::size_t settings = 0;  // the number of leading pointers whose values are the same for all networks
};

/// A question: a workload and algorithms, the networks to choose from, and the objective.
struct DesignStudy {
  std::string name;
  std::filesystem::path file = {};  // named by errors
  ScenarioDocument base;
  std::vector<DesignFamily> families;
  std::filesystem::path price_list = {};  // the file of `prices`
  PriceList prices;
  DesignObjective objective = DesignObjective::iteration_time;
  std::optional<double> target = {};  // s, or samples per second for a throughput
  std::optional<double> budget = {};  // in the price list's currency
  double least_gain = 0.01;           // fraction by which a dearer network must be better
  int seeds = 1;
};

/// What the command line says of a design study.
struct DesignRequest {
  std::filesystem::path file;
  std::vector<std::string> overrides = {};  // of the study: /json/pointer=VALUE
  std::optional<int> seeds = {};
};

/// Reads a study (`starling schema design`). @throws ScenarioError if anything in it is wrong; its networks
/// are not read yet.
DesignStudy read_design(const DesignRequest& request);

}  // namespace starling
