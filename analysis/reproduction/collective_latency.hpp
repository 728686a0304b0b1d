#pragma once

#include <cstdint>
#include <string>

#include "scenarios/description/cluster_description.hpp"

namespace starling {

/// The latency microbenchmark of partial collectives: in every operation each rank sleeps, calls the
/// all-reduce, and meets the others at a barrier.
///
/// Reference: Li et al., "Taming unbalanced training workloads in deep learning with partial collective
/// operations", PPoPP 2020, section 7.1 (Fig. 9).
struct CollectiveLatencyOptions {
  ClusterDescription cluster;
  std::string kind;                 // allreduce, eager_solo or eager_majority
  std::string collective = "ring";  // for allreduce; the other kinds use recursive doubling
  std::int64_t message_bytes = 0;
  std::int64_t operations = 1;
  double first_delay_s = 0;     // the delay of rank 0
  double delay_step_s = 0;      // the additional delay from one rank to the next
  double operation_cost_s = 0;  // of each call of an eager kind
  std::uint64_t seed = 1;
  std::string as_read = {};  // the JSON that it was read from; empty if it was not
};

struct CollectiveLatency {
  double mean_s = 0;               // time in the call, mean over operations and ranks
  double standard_error_s = 0;     // of that mean
  double mean_active_workers = 0;  // ranks whose fresh data went into the sum, per operation
};

/// Runs the benchmark on the event model. @throws std::invalid_argument if the collective does not fit the
/// cluster.
CollectiveLatency measure_collective_latency(const CollectiveLatencyOptions& options);

}  // namespace starling
