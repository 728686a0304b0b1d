#pragma once

#include <functional>
#include <memory>

#include "sim/messages/message_costs.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/run_statistics.hpp"
#include "sim/trace.hpp"
#include "sim/worker.hpp"

namespace starling {

/// All ranks of a job in this process, on a modeled network. The same inputs give the same results, bit for
/// bit.
class SimulatedWorld final {
 public:
  /// Makes one worker per rank of `routes`. routes, network and trace must outlive the world. While a worker
  /// communicates, its computation takes 1 + communication_slowdown times as long: see ContendedGpu.
  SimulatedWorld(const Routes& routes, NetworkModel& network, MessageCosts costs = {},
                 TraceSink* trace = nullptr, double communication_slowdown = 0);
  ~SimulatedWorld();

  /// Runs the body once per rank; may be called once. Returns when every foreground strand of every worker
  /// has ended. An exception that leaves any strand ends the run and is thrown here. @throws DeadlockError if
  /// the run can no longer proceed.
  void run(const std::function<void(Worker&)>& body);

  /// Seconds since the run began; the makespan once the run has ended.
  double now() const;
  RunStatistics statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
