#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/worker.hpp"
#include "workloads/iteration_log.hpp"
#include "workloads/replica.hpp"
#include "workloads/workload.hpp"

namespace starling {

/// A training job as one worker sees it.
struct TrainingJob {
  const Workload& workload;
  std::int64_t iterations = 0;
  /// How this worker's iteration is disturbed; a pure function.
  std::function<Load(Rank rank, std::int64_t iteration)> load;
  /// Receives one record per iteration.
  IterationLog& log;
};

/// A way to train: how workers compute, exchange and update. One object serves all workers of a run.
class TrainingAlgorithm {
 public:
  virtual ~TrainingAlgorithm() = default;

  /// Runs all iterations of one worker's job; every rank of the world must call it with an equal job.
  virtual void run(Worker& worker, Replica& replica, const TrainingJob& job) const = 0;
};

}  // namespace starling
