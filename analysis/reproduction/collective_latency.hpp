#pragma once

#include <cstdint>
#include <string>

#include "scenarios/description/cluster_description.hpp"

namespace starling {

/// The microbenchmark of partial collectives: in every operation each rank sleeps, calls the all-reduce, and
/// meets the others at a barrier.
///
/// Reference: Li et al., "Taming unbalanced training workloads in deep learning with partial collective
/// operations", PPoPP 2020, section 7.1 (Fig. 9).
struct CollectiveLatencyOptions {
  ClusterDescription cluster;
  std::string kind;                 // allreduce, eager_solo or eager_majority
  std::string collective = "ring";  // of allreduce; the others use recursive doubling
  std::int64_t message_bytes = 0;
  std::int64_t operations = 1;
  double first_delay_s = 0;     // of rank 0
  double delay_step_s = 0;      // from one rank to the next
  double operation_cost_s = 0;  // of each call of the others
  std::uint64_t seed = 1;
  std::string as_read = {};  // JSON of all that it follows from, where it was read
};

struct CollectiveLatency {
  double mean_s = 0;               // in the call, mean over operations and ranks
  double standard_error_s = 0;     // of that mean
  double mean_active_workers = 0;  // ranks whose fresh data went into the sum, per operation
};

/// Runs the benchmark on the event model. @throws std::invalid_argument for a cluster that the collective
/// does not fit.
CollectiveLatency measure_collective_latency(const CollectiveLatencyOptions& options);

}  // namespace starling
