#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/training/shared/cluster_facts.hpp"
#include "algorithms/training/training_options.hpp"
#include "analysis/results/result.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/routes.hpp"
#include "topologies/networks/network.hpp"
#include "workloads/imbalance/imbalance_options.hpp"

namespace starling {

/// The host of every rank.
std::vector<int> hosts_by_rank(const Routes& routes);

/// After how many iterations the patterns of an algorithm and of its causes of imbalance repeat. Patterns of
/// more than 1,000 iterations are left out, as they are too long for a run; 1 if all patterns together are
/// longer.
/// @throws std::invalid_argument if the algorithm does not fit the cluster.
std::int64_t counted_period(const TrainingOptions& options, const ClusterFacts& facts,
                            const std::vector<Imbalance>& causes);

/// The least length of batches, in iterations, whose means are nearly independent and have the same
/// distribution: ten times the memory of the causes of imbalance, which makes the variance of such a mean a
/// tenth too small, and enough that ten of every rare event are to be expected in the three batches that an
/// error takes at least. 1 where causes are independent and nothing is rare; at most 2⁴⁰.
std::int64_t least_batch(const std::vector<Imbalance>& causes, int workers);

/// The spectral gap of an algorithm's averaging: see spectral_gap().
struct GapFacts {
  int period = 1;  // of its graph, in averaging steps
  /// Both are absent where they take too long to compute, or the computation does not converge.
  std::optional<double> per_period = {};
  std::optional<double> per_iteration = {};
};

/// The spectral gap of options that have a mixing matrix. @throws std::invalid_argument if the matrix does
/// not fit the cluster.
GapFacts gap_facts(const TrainingOptions& options, const ClusterFacts& facts);

/// The compute times of a worker's iteration, and the law by which they were found.
ComputeFacts compute_facts(const Workload& workload, bool is_simulated);

/// Which part of a window waits for the first link of its route, see FairOptions: the scenario's value, else
/// that of TCP connections for transports over TCP, and 0 for others.
double queued_at_first_link(const Scenario& scenario);

/// The costs of a message that hold where it is simulated on this network, which includes those of its hosts,
/// and how connections share.
TransportFacts transport_facts(const Scenario& scenario, const Network& network);

/// Where the ranks are; absent under block placement.
std::optional<PlacementFacts> placement_facts(const Scenario& scenario, const Routes& routes);

/// The most memory that this process has had so far.
std::int64_t peak_memory_bytes();

}  // namespace starling
