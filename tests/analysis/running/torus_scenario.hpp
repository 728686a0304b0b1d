#pragma once

#include <variant>

#include "small_scenario.hpp"
#include "topologies/layouts/link_options.hpp"
#include "topologies/networks/network_options.hpp"
#include "topologies/placement/placement.hpp"

namespace starling {

/// Eight workers on a torus: one on each of 2 x 4 hosts, or two on each of 2 x 2.
inline Scenario on_torus(int workers_per_host, const PlacementOptions& placement) {
  Scenario scenario = small_scenario();
  const LinkOptions link{.bandwidth_Bps = 1e9, .latency_s = 1e-6};
  scenario.cluster = {.workers = 8, .workers_per_host = workers_per_host};
  scenario.cluster.network.kind = TorusOptions{.dimensions = {2, 4 / workers_per_host}, .link = link};
  scenario.cluster.intra_host_link = link;
  scenario.cluster.placement = placement;
  return scenario;
}

/// A ring all-reduce of 32 workers, each on a host of its own on a torus of 4 x 8.
inline Scenario ring_on_torus(const PlacementOptions& placement) {
  Scenario scenario = on_torus(1, placement);
  scenario.cluster.workers = 32;
  std::get<TorusOptions>(scenario.cluster.network.kind).dimensions = {4, 8};
  add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
  return scenario;
}

}  // namespace starling
