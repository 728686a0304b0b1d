#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/design/design_study.hpp"

namespace starling {

/// A network that might be bought.
struct DesignNetwork {
  std::string family;
  std::string text;                    // of what varies in its family: "bandwidth=25Gbps"
  std::vector<nlohmann::json> values;  // of every pointer of the space; null where it is as in the base
  int workers = 0;
  double samples_per_iteration = 0;  // of all workers
  int hosts = 0;
  int switches = 0;
  double price = 0;
  double power_W = 0;
  std::string problem = {};   // why it cannot be one
  std::string left_out = {};  // why the study leaves it out

  bool is_candidate() const { return problem.empty() && left_out.empty(); }
};

/// All that a study may choose: networks, each with every algorithm. A candidate is one of each, and a
/// combination of the plan: all algorithms of the first network, then of the second one.
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

/// Reads all scenarios of a study and what their networks cost; simulates nothing.
///
/// A network that does not fit the rest of its scenario has a problem; so do the others with theirs.
/// @throws ScenarioError if none fits, if there are more than 10,000, if the price list has not what one
/// needs, or if numbers of workers differ where iteration times are compared.
DesignSpace design_space(const DesignStudy& study);

}  // namespace starling
