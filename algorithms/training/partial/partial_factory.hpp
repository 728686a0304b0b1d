#pragma once

#include <memory>

#include "algorithms/training/partial/partial_options.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"

namespace starling {

/// Make the algorithms of partial collectives for jobs of `workload` on a cluster of `facts`; the workload
/// must outlive them.
///
/// Both throw std::invalid_argument that names the algorithm, the option, its value and what is accepted.

std::unique_ptr<TrainingAlgorithm> make_eager_sgd(const EagerOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

std::unique_ptr<TrainingAlgorithm> make_wagma(const WagmaOptions& options, const Workload& workload,
                                              const ClusterFacts& facts);

}  // namespace starling
