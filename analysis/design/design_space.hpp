#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/design/design_study.hpp"

namespace starling {

/// A network of a study, with its price.
struct DesignNetwork {
  std::string family;
  std::string text;                    // the values that vary in its family: "bandwidth=25Gbps"
  std::vector<nlohmann::json> values;  // of every pointer of the space; null for the base's value
  int workers = 0;
  double samples_per_iteration = 0;  // of all workers
  int hosts = 0;
  int switches = 0;
  double price = 0;
  double power_W = 0;
  std::string problem = {};   // why it cannot be built; empty if it can
  std::string left_out = {};  // why the study leaves it out; empty if it does not

  bool is_candidate() const { return problem.empty() && left_out.empty(); }
};

/// The candidates of a study: pairs of a network and an algorithm. The number of a candidate is that of its
/// combination in the plan: all algorithms on the first network come first, then those on the second one.
struct DesignSpace {
  std::vector<DesignNetwork> networks;
  std::vector<std::string> algorithms;
  SweepPlan plan;  // of the pointers of all families, then /algorithms
  std::vector<std::string> warnings;

  std::int64_t candidates() const { return plan.combinations(); }
  const DesignNetwork& network_of(std::int64_t candidate) const {
    return networks[static_cast<std::size_t>(candidate) / algorithms.size()];
  }
  const std::string& algorithm_of(std::int64_t candidate) const {
    return algorithms[static_cast<std::size_t>(candidate) % algorithms.size()];
  }
};

/// Reads all networks of a study, with their prices; simulates nothing.
///
/// A network that does not fit the rest of its scenario, or cannot be built, has a `problem`. @throws
/// ScenarioError if no network of a family is a candidate because of such a problem, if there are no
/// candidates or more than 10,000 networks, if the price list lacks a part, or if networks differ in samples
/// per iteration unless the objective is the throughput.
DesignSpace design_space(const DesignStudy& study);

}  // namespace starling
