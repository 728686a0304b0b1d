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

/// After how many iterations an algorithm's pattern, and that of what disturbs it, repeats, as far as it
/// matters for means: 1 where that is too long for a run. @throws std::invalid_argument if the algorithm does
/// not fit the cluster.
std::int64_t counted_period(const TrainingOptions& options, const ClusterFacts& facts,
                            const std::vector<Imbalance>& causes);

/// How many iterations a batch must have for the means of batches to be nearly independent and of the same
/// law: ten times as many as disturbances remember, so that the variance of such a mean is a tenth too small,
/// and so many that ten events of whatever is rare are expected in the three batches that an error takes at
/// least. 1 where disturbances are independent and nothing is rare; at most 2⁴⁰.
std::int64_t least_batch(const std::vector<Imbalance>& causes, int workers);

/// How far an algorithm's averaging brings models together: see spectral_gap().
struct GapFacts {
  int period = 1;  // of its graph, in averagings
  /// Absent where it takes too long to compute.
  std::optional<double> per_period = {};
  std::optional<double> per_iteration = {};
};

/// The spectral gap of options that have a mixing matrix. @throws std::invalid_argument if that does not fit
/// the cluster.
GapFacts gap_facts(const TrainingOptions& options, const ClusterFacts& facts);

/// What simulated workers compute, and the law that their times follow.
ComputeFacts compute_facts(const Workload& workload, bool is_simulated);

/// Which part of a window waits for the first link of its way, see FairOptions: as the scenario says, else as
/// connections of TCP have it.
double queued_at_first_link(const Scenario& scenario);

/// Whose costs of a message hold where it is simulated on this network, which has those of its hosts, and how
/// its connections share.
TransportFacts transport_facts(const Scenario& scenario, const Network& network);

/// Where the ranks are, if not on blocks.
std::optional<PlacementFacts> placement_facts(const Scenario& scenario, const Routes& routes);

/// The most memory that this process has had so far.
std::int64_t peak_memory_bytes();

}  // namespace starling
