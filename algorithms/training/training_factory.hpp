#pragma once

#include <memory>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "algorithms/training/training_options.hpp"

namespace starling {

/// Makes the algorithm that `options` describe for jobs of `workload` on a cluster of `facts`.
///
/// All buckets and schedules are worked out here, once. The workload must outlive the algorithm.
/// @throws std::invalid_argument that names the algorithm, the option, its value and what is accepted.
std::unique_ptr<TrainingAlgorithm> make_training_algorithm(const TrainingOptions& options,
                                                           const Workload& workload,
                                                           const ClusterFacts& facts);

}  // namespace starling
