#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/routes.hpp"

namespace starling {

/// The host of every rank.
std::vector<int> hosts_by_rank(const Routes& routes);

/// What simulated workers compute, and the law that their times follow.
ComputeFacts compute_facts(const Workload& workload);

/// Whose costs of a message hold where it is simulated.
TransportFacts transport_facts(const Scenario& scenario);

/// Where the ranks are, if not on blocks.
std::optional<PlacementFacts> placement_facts(const Scenario& scenario, const Routes& routes);

/// Of this process so far.
std::int64_t peak_memory_bytes();

}  // namespace starling
