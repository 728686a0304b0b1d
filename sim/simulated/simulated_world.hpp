#pragma once

#include <functional>
#include <memory>

#include "sim/messages/message_costs.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/run_statistics.hpp"
#include "sim/trace.hpp"
#include "sim/worker.hpp"

namespace starling {

/// All ranks of a job in this process, on a modeled network. Same inputs, same results, bit for bit.
class SimulatedWorld final {
 public:
  /// One worker per rank of `routes`. routes, network and trace must outlive the world. A worker that
  /// communicates computes 1 + communication_slowdown times as long: see ContendedGpu.
  SimulatedWorld(const Routes& routes, NetworkModel& network, MessageCosts costs = {},
                 TraceSink* trace = nullptr, double communication_slowdown = 0);
  ~SimulatedWorld();

  /// Runs the body once per rank; may be called once. Returns when every foreground strand of every worker
  /// has ended. An exception that leaves any strand ends the run and is thrown here. @throws DeadlockError if
  /// the run can no longer proceed.
  void run(const std::function<void(Worker&)>& body);

  /// In seconds since the run began; once it has ended, its makespan.
  double now() const;
  RunStatistics statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
