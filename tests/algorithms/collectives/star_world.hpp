#pragma once

#include <functional>
#include <memory>

#include "sim/networks/event/event_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

enum class ModelUnderTest { event, simgrid };

/// A star with one worker per host, 10 GB/s and 1.5 µs per link, so 3 µs between two workers.
struct Star {
  static constexpr double bandwidth_Bps = 1e10;
  static constexpr double latency_s = 3e-6;

  explicit Star(int workers)
      : network(build_network({.workers = workers,
                               .network = {.kind = StarOptions{.link = {.bandwidth_Bps = bandwidth_Bps,
                                                                        .latency_s = latency_s / 2}}}})) {}

  Network network;
};

inline std::unique_ptr<NetworkModel> make_model(ModelUnderTest model, const Routes& routes) {
  if (model == ModelUnderTest::simgrid) return std::make_unique<SimGridNetwork>(routes);
  return std::make_unique<EventNetwork>(routes);
}

/// Runs `body` on every worker of a star and returns the statistics of the run.
inline RunStatistics run_on_star(int workers, const MessageCosts& costs,
                                 const std::function<void(Worker&)>& body,
                                 ModelUnderTest model = ModelUnderTest::event) {
  const Star star(workers);
  const std::unique_ptr<NetworkModel> network = make_model(model, star.network);
  SimulatedWorld world(star.network, *network, costs);
  world.run(body);
  return world.statistics();
}

}  // namespace starling
