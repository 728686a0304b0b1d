#include "sim/simulated/simulated_world.hpp"

#include "base/errors.hpp"
#include "sim/simulated/simulated_worker.hpp"

namespace starling {

struct SimulatedWorld::Impl {
  Impl(const Routes& routes, NetworkModel& network, MessageCosts costs, TraceSink* trace)
      : shared{.routes = routes,
               .network = network,
               .costs = costs,
               .trace = trace,
               .scheduler = Scheduler(network.time_source())} {
    network.attach(shared.scheduler);
    for (Rank rank = 0; rank < routes.workers(); ++rank)
      workers.emplace_back(rank, routes.workers(), shared, workers);
  }

  std::deque<SimulatedWorker> workers;
  // After the workers, so that its strands are unwound while what they refer to lives.
  SharedState shared;
  bool has_run = false;
};

SimulatedWorld::SimulatedWorld(const Routes& routes, NetworkModel& network, MessageCosts costs,
                               TraceSink* trace)
    : impl_(std::make_unique<Impl>(routes, network, costs, trace)) {}

SimulatedWorld::~SimulatedWorld() = default;

void SimulatedWorld::run(const std::function<void(Worker&)>& body) {
  STARLING_INVARIANT(!std::exchange(impl_->has_run, true));
  for (SimulatedWorker& worker : impl_->workers)
    impl_->shared.scheduler.spawn(worker.rank(), "main", [&body, &worker] { body(worker); });
  impl_->shared.scheduler.run();
}

RunStatistics SimulatedWorld::statistics() const {
  RunStatistics statistics = impl_->shared.statistics;
  statistics.makespan_s = impl_->shared.scheduler.now();
  statistics.events = impl_->shared.scheduler.events();
  return statistics;
}

}  // namespace starling
