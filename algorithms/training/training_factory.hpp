#pragma once

#include <memory>

#include "algorithms/training/training_algorithm.hpp"
#include "algorithms/training/training_options.hpp"

namespace starling {

/// What a training algorithm knows of the cluster before it starts.
struct ClusterFacts {
  int workers = 1;
  /// Ranks of one host are consecutive.
  int workers_per_host = 1;
  /// α: start-up seconds of a message between two hosts, with the overhead at both ends.
  double startup_s = 0;
  /// β: seconds per byte of the narrowest link of a route.
  double s_per_byte = 0;
  /// γ: seconds per byte of local reduction.
  double reduction_s_per_byte = 0;
};

/// Makes the algorithm that `options` describe for jobs of `workload` on a cluster of `facts`.
///
/// All buckets and schedules are worked out here, once. The workload must outlive the algorithm.
/// @throws std::invalid_argument that names the algorithm, the option, its value and what is accepted.
std::unique_ptr<TrainingAlgorithm> make_training_algorithm(const TrainingOptions& options,
                                                           const Workload& workload,
                                                           const ClusterFacts& facts);

}  // namespace starling
