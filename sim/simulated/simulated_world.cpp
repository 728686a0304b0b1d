#include "sim/simulated/simulated_world.hpp"

#include <functional>
#include <utility>

#include "base/errors.hpp"
#include "sim/simulated/simulated_ranks.hpp"

namespace starling {

struct SimulatedWorld::Impl {
  Impl(const Routes& routes, NetworkModel& network, const MessageCosts& costs, TraceSink* trace,
       double slowdown)
      : ranks(scheduler, routes, std::identity(), network, costs, trace, slowdown, nullptr),
        scheduler(network.time_source()) {
    network.attach(scheduler);
  }

  SimulatedRanks ranks;
  // Last, so that its strands are unwound while the objects that they refer to still exist.
  Scheduler scheduler;
  bool has_run = false;
};

SimulatedWorld::SimulatedWorld(const Routes& routes, NetworkModel& network, MessageCosts costs,
                               TraceSink* trace, double communication_slowdown)
    : impl_(std::make_unique<Impl>(routes, network, costs, trace, communication_slowdown)) {}

SimulatedWorld::~SimulatedWorld() = default;

void SimulatedWorld::run(const std::function<void(Worker&)>& body) {
  STARLING_INVARIANT(!std::exchange(impl_->has_run, true));
  for (SimulatedWorker& worker : impl_->ranks.workers)
    impl_->scheduler.spawn(worker.rank(), "main", [&body, &worker] { body(worker); });
  impl_->scheduler.run();
}

double SimulatedWorld::now() const { return impl_->scheduler.now(); }

RunStatistics SimulatedWorld::statistics() const {
  RunStatistics statistics = impl_->ranks.messages.statistics;
  statistics.makespan_s = now();
  statistics.events = impl_->scheduler.events();
  return statistics;
}

}  // namespace starling
