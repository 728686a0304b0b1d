#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/training_options.hpp"

namespace starling {

/// An algorithm that scenarios can name.
struct RegisteredAlgorithm {
  TrainingOptions defaults;
  std::string summary;  // one line

  std::string_view kind() const { return defaults.kind(); }
};

/// All of them, in the order of presentation: those of Starling, then whatever a program has registered.
const std::vector<RegisteredAlgorithm>& registered_algorithms();

/// Registers an algorithm of another program under the kind of its options (any AlgorithmOptions). Must be
/// called before a scenario is read; invalidates references into registered_algorithms().
/// @throws std::invalid_argument if an algorithm of that kind is there already.
void register_algorithm(TrainingOptions defaults, std::string summary);

/// Makes the algorithm that `options` describe for jobs of `workload` on a cluster of `facts`.
///
/// All buckets and schedules are worked out here, once. The workload must outlive the algorithm.
/// @throws std::invalid_argument that names the algorithm, the option, its value and what is accepted.
std::unique_ptr<TrainingAlgorithm> make_training_algorithm(TrainingOptions options, const Workload& workload,
                                                           const ClusterFacts& facts);

}  // namespace starling
