#pragma once

#include <memory>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/shared/training_algorithm.hpp"
#include "topologies/graphs/mixing_matrix.hpp"
#include "topologies/graphs/mixing_schedule.hpp"

namespace starling {

/// Make the algorithms that average models rather than gradients, for jobs of `workload` on a cluster of
/// `facts`; the workload must outlive them.
///
/// All throw std::invalid_argument that names the algorithm, the option, its value and what is accepted.

/// Who averages with whom, and with which weights, by these options: connected, doubly stochastic (SGP:
/// column-stochastic). Of decentralized_adam, what a bucket goes through.
MixingMatrix mixing_matrix_of(const DpsgdOptions& options, const ClusterFacts& facts);
/// Left out, the directed exponential graph: with n = options.neighbors, exchange k goes to the n workers at
/// distances 2^((kn + j) mod ⌈log₂P⌉), j = 0 … n−1, each of which gets 1/(n+1).
MixingMatrix mixing_matrix_of(const SgpOptions& options, const ClusterFacts& facts);
MixingMatrix mixing_matrix_of(const DecentralizedAdamOptions& options, const ClusterFacts& facts);

std::unique_ptr<TrainingAlgorithm> make_local_sgd(const LocalSgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts);

/// `mixing`: a doubly stochastic schedule of all workers; mixing_matrix_of() if null.
std::unique_ptr<TrainingAlgorithm> make_dpsgd(const DpsgdOptions& options, const ClusterFacts& facts,
                                              std::shared_ptr<const MixingSchedule> mixing = nullptr);

/// Over the edges of `graph`, or if it is null of options.mixing, which must be bipartite, undirected and the
/// same in all iterations; where that is left out over the published pairing (an even number of workers, or
/// 1).
std::unique_ptr<TrainingAlgorithm> make_adpsgd(const AdpsgdOptions& options, const ClusterFacts& facts,
                                               const MixingSchedule* graph = nullptr);

/// `mixing`: a column-stochastic schedule of all workers, or of all hosts with options.per_host;
/// mixing_matrix_of() if null.
std::unique_ptr<TrainingAlgorithm> make_sgp(const SgpOptions& options, const Workload& workload,
                                            const ClusterFacts& facts,
                                            std::shared_ptr<const MixingSchedule> mixing = nullptr);

std::unique_ptr<TrainingAlgorithm> make_decentralized_adam(const DecentralizedAdamOptions& options,
                                                           const Workload& workload,
                                                           const ClusterFacts& facts);

}  // namespace starling
