#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "algorithms/collectives/evaluation/shared/evaluation.hpp"
#include "algorithms/collectives/evaluation/shared/small_message_rules.hpp"
#include "algorithms/collectives/runner.hpp"
#include "sim/messages/transport.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/random.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"

namespace starling {

using Times = std::vector<double>;

/// The relative difference allowed: evaluation and simulation compute the same sums of products in different
/// orders over up to thousands of rounds.
inline constexpr double difference_by_rounding = 1e-9;

/// The network models that evaluation stands for; fair also with all messages of a connection in one stream.
enum class Model { event, fair, fair_in_order };

inline SmallMessageRules rules_of(Model model) {
  return {.take_links = model == Model::event, .keep_order = model == Model::fair_in_order};
}

inline std::unique_ptr<NetworkModel> model_of(Model model, const Routes& routes) {
  if (model == Model::event) return std::make_unique<EventNetwork>(routes);
  return std::make_unique<FairNetwork>(routes,
                                       FairOptions{.has_control_channel = model != Model::fair_in_order});
}

/// Transports that make messages wait in all ways: for receivers, for buffers, behind what is before them.
inline std::vector<MessageCosts> costs_of_transports() {
  std::vector<MessageCosts> costs;
  for (const Transport& transport : transports()) costs.push_back(transport.costs);
  costs.push_back({.overhead_s = 2e-6, .reduction_s_per_byte = 1e-10, .eager_threshold_bytes = 0});
  costs.push_back({.eager_threshold_bytes = 3000, .send_buffer_bytes = 1000});
  costs.push_back({.overhead_s = 3e-7, .eager_threshold_bytes = 1e5, .send_buffer_bytes = 2000});
  return costs;
}

/// Start times of the ranks in seconds, uniform from 0 to `spread_s`.
inline Times random_beginnings(int ranks, double spread_s, std::uint64_t seed = 3) {
  const CounterRandom random(seed, Purpose::schedule);
  Times begin_s;
  for (Rank rank = 0; rank < ranks; ++rank)
    begin_s.push_back(spread_s * random.uniform(static_cast<std::uint32_t>(rank), 0));
  return begin_s;
}

/// When each rank, which begins at begin_s, ends several collectives one after the other, simulated message
/// by message; in seconds.
inline Times simulated_ends_s(const Routes& routes, const std::vector<const Schedule*>& schedules,
                              const Times& begin_s, const MessageCosts& costs, Model model) {
  const std::unique_ptr<NetworkModel> network = model_of(model, routes);
  SimulatedWorld world(routes, *network, costs);
  Times end_s(begin_s.size());
  world.run([&](Worker& worker) {
    const auto rank = static_cast<std::size_t>(worker.rank());
    worker.compute(begin_s[rank]);
    for (const Schedule* schedule : schedules)
      run_schedule(worker, *schedule, Buffer::sized(schedule->count()), 1);
    end_s[rank] = worker.now();
  });
  return end_s;
}

/// The greatest relative difference between evaluated and simulated ends over all ranks.
inline double difference(const Times& evaluated_s, const Times& simulated_s) {
  double greatest = 0;
  for (std::size_t rank = 0; rank < simulated_s.size(); ++rank) {
    const double scale_s = std::max(simulated_s[rank], 1e-12);
    greatest = greater_error(greatest, std::abs(evaluated_s[rank] - simulated_s[rank]) / scale_s);
  }
  return greatest;
}

}  // namespace starling
