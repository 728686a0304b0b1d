#pragma once

#include <deque>
#include <functional>

#include "sim/simulated/simulated_worker.hpp"

namespace starling {

/// The workers of a job on a modeled network, and the endpoints of their messages. Messages are exchanged
/// within one such object only.
struct SimulatedRanks {
  /// Rank r of the job is worker network_rank(r) of the network. All arguments must outlive this object;
  /// `strands` is null where the job has the scheduler to itself. GPUs are contended where `slowdown` is
  /// above 0.
  SimulatedRanks(Scheduler& scheduler, const Routes& routes, const std::function<Rank(Rank)>& network_rank,
                 NetworkModel& network, const MessageCosts& costs, TraceSink* trace, double slowdown,
                 JobStrands* strands)
      : messages(scheduler, network, costs, routes) {
    messages.endpoints.reserve(static_cast<std::size_t>(routes.workers()));
    for (Rank rank = 0; rank < routes.workers(); ++rank) {
      Endpoint& endpoint = messages.endpoints.emplace_back(rank, network_rank(rank), routes.host_of(rank),
                                                           routes.workers(), messages);
      if (slowdown > 0) endpoint.slow_down(gpus.emplace_back(scheduler, slowdown, network_rank(rank)));
      workers.emplace_back(routes, endpoint, exchange_runners, trace, strands);
    }
  }
  SimulatedRanks(const SimulatedRanks&) = delete;
  SimulatedRanks& operator=(const SimulatedRanks&) = delete;

  MessageSystem messages;
  std::deque<ContendedGpu> gpus;  // by rank; empty without slowdown
  Pool<ExchangeRunner> exchange_runners;
  std::deque<SimulatedWorker> workers;
};

}  // namespace starling
