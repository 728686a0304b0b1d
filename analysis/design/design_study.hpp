#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "topologies/facts/price_list.hpp"

namespace starling {

/// What is wanted of a network besides a low price.
enum class DesignObjective { iteration_time, throughput, time_to_loss };

std::string name_of(DesignObjective objective);

/// Networks of one kind: what makes them of the base, each in one combination.
struct DesignFamily {
  std::string name;
  SweepPlan networks;
  std::size_t settings = 0;  // so many pointers, the first ones, are the same for all of them
};

/// A workload and algorithms, networks to choose from, and what is wanted.
struct DesignStudy {
  std::string name;
  std::filesystem::path file = {};  // errors call it so
  ScenarioDocument base;
  std::vector<DesignFamily> families;
  std::filesystem::path price_list = {};  // whose prices they are
  PriceList prices;
  DesignObjective objective = DesignObjective::iteration_time;
  std::optional<double> target = {};  // s, or samples per second
  std::optional<double> budget = {};  // in the price list's currency
  double least_gain = 0.01;           // what a network that costs more must be better by, as a fraction
  int seeds = 1;
};

/// What of a design study stands on the command line.
struct DesignRequest {
  std::filesystem::path file;
  std::vector<std::string> overrides = {};  // of the study: /json/pointer=VALUE
  std::optional<int> seeds = {};
};

/// Reads a study (`starling schema design`). @throws ScenarioError for anything that does not fit; networks
/// are not checked yet.
DesignStudy read_design(const DesignRequest& request);

}  // namespace starling
