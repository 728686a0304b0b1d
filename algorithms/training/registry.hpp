#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/training_options.hpp"

namespace starling {

/// A training algorithm that scenarios can select by its kind.
struct RegisteredAlgorithm {
  TrainingOptions defaults;
  std::string summary;  // one line, for listings

  std::string_view kind() const { return defaults.kind(); }
};

/// All registered algorithms in the order in which they are listed: Starling's own, then those that the
/// program has registered.
const std::vector<RegisteredAlgorithm>& registered_algorithms();

/// Registers an algorithm that is defined outside Starling, under the kind of its options (any
/// AlgorithmOptions). Call it before any scenario is read; it invalidates references into
/// registered_algorithms().
/// @throws std::invalid_argument if an algorithm of that kind is registered already.
void register_algorithm(TrainingOptions defaults, std::string summary);

/// Makes the algorithm that `options` describe, for jobs that train `workload` on a cluster described by
/// `facts`.
///
/// Checks the options, and works out all buckets and schedules once, here. The workload must outlive the
/// algorithm.
/// @throws std::invalid_argument that names the algorithm, the option, its value and what is accepted.
std::unique_ptr<TrainingAlgorithm> make_training_algorithm(TrainingOptions options, const Workload& workload,
                                                           const ClusterFacts& facts);

}  // namespace starling
