#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// The points of a data set that each worker has; every point belongs to exactly one worker.
using DataPartition = std::vector<std::vector<std::int64_t>>;

/// A random split into shares whose sizes differ by at most 1.
/// @throws std::invalid_argument unless there is at least one worker, and one point per worker.
DataPartition iid_partition(std::int64_t points, int workers, std::uint64_t seed);

/// A heterogeneous split: of each class, worker i gets a share q_i of the points, where q is a draw from the
/// symmetric Dirichlet distribution with that concentration, one draw per class. A concentration far above 1
/// gives nearly equal shares, one far below 1 gives each class to few workers. A worker that would have no
/// points gets one from the worker with the most.
///
/// Reference: Hsu, Qi, Brown, "Measuring the effects of non-identical data distribution for federated visual
/// classification", arXiv 1909.06335, 2019; by class as in Yurochkin et al., ICML 2019.
/// @throws std::invalid_argument unless there is at least one worker, and one point per worker, and the
/// concentration is between 10⁻⁴ and 10⁶.
DataPartition dirichlet_partition(std::span<const int> labels, int workers, double concentration,
                                  std::uint64_t seed);

/// The Dirichlet draw of a class: one share per worker. Shares sum to 1, and the expectation of each is
/// 1/workers.
std::vector<double> dirichlet_shares(int workers, double concentration, std::uint64_t seed, int label);

}  // namespace starling
