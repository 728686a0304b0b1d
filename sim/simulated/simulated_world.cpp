#include "sim/simulated/simulated_world.hpp"

#include <deque>
#include <utility>

#include "base/errors.hpp"
#include "sim/simulated/simulated_worker.hpp"

namespace starling {

struct SimulatedWorld::Impl {
  Impl(const Routes& routes, NetworkModel& network, MessageCosts costs, TraceSink* trace, double slowdown)
      : messages(scheduler, network, costs, routes), scheduler(network.time_source()) {
    network.attach(scheduler);
    messages.endpoints.reserve(static_cast<std::size_t>(routes.workers()));
    for (Rank rank = 0; rank < routes.workers(); ++rank) {
      Endpoint& endpoint =
          messages.endpoints.emplace_back(rank, routes.host_of(rank), routes.workers(), messages);
      if (slowdown > 0) endpoint.slow_down(gpus.emplace_back(scheduler, slowdown));
      workers.emplace_back(routes, endpoint, exchange_runners, trace);
    }
  }

  MessageSystem messages;
  std::deque<ContendedGpu> gpus;  // by rank, or none
  Pool<ExchangeRunner> exchange_runners;
  std::deque<SimulatedWorker> workers;
  // Last, so that its strands are unwound while what they refer to lives.
  Scheduler scheduler;
  bool has_run = false;
};

SimulatedWorld::SimulatedWorld(const Routes& routes, NetworkModel& network, MessageCosts costs,
                               TraceSink* trace, double communication_slowdown)
    : impl_(std::make_unique<Impl>(routes, network, costs, trace, communication_slowdown)) {}

SimulatedWorld::~SimulatedWorld() = default;

void SimulatedWorld::run(const std::function<void(Worker&)>& body) {
  STARLING_INVARIANT(!std::exchange(impl_->has_run, true));
  for (SimulatedWorker& worker : impl_->workers)
    impl_->scheduler.spawn(worker.rank(), "main", [&body, &worker] { body(worker); });
  impl_->scheduler.run();
}

RunStatistics SimulatedWorld::statistics() const {
  RunStatistics statistics = impl_->messages.statistics;
  statistics.makespan_s = impl_->scheduler.now();
  statistics.events = impl_->scheduler.events();
  return statistics;
}

}  // namespace starling
