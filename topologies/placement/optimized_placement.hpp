#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"
#include "topologies/placement/placement.hpp"
#include "topologies/placement/rank_traffic.hpp"

namespace starling {

/// The cost of some traffic under a placement, in seconds of transmission if all of it is sent at once.
struct PlacementCost {
  /// Time of the busiest link.
  double bottleneck_s = 0;
  /// Sum over all links: bytes times hops, each hop weighted by the inverse of its bandwidth.
  double total_s = 0;
};

/// Whether `one` has the lesser bottleneck, or the same bottleneck and the lesser total, beyond rounding.
bool is_better(const PlacementCost& one, const PlacementCost& other);

/// The cost of the traffic on the links between the hosts of `placed`. O(pairs · links of a route).
PlacementCost placement_cost(std::span<const RankTraffic> traffic, const Routes& placed);

/// The host of each rank, chosen so that the traffic of one or several algorithms, which run one after the
/// other, is cheap. Each block of workers_per_host consecutive ranks stays on one host.
///
/// Candidates are block, snake (on a grid) and a greedy construction, each as it is and after pairwise
/// exchanges of hosts, repeated as long as they reduce the total cost of all traffic. The best has the least
/// sum over the algorithms of bottleneck_s, added up over all rounds and divided by that of block; ties are
/// decided by total_s, likewise.
///
/// `in_blocks` is the network with block placement. Deterministic. Takes hosts² routes; hosts · (pairs of
/// communicating blocks) steps for the construction, which is skipped if they exceed 2²⁸; and about 2²⁸ steps
/// at most for the exchanges of each candidate. Measured: a second or two at most, and 100 MB for 1024 hosts.
/// Reference: Hoefler, Snir, "Generic topology mapping strategies for large-scale parallel architectures",
/// ICS 2011 (greedy construction, dilation and congestion); Kernighan, Lin, "An efficient heuristic procedure
/// for partitioning graphs", Bell System Technical Journal 49(2), 1970 (exchange of pairs).
///
/// There must be at most most_optimized_hosts; building a network with this placement checks that.
std::vector<int> optimized_hosts(std::span<const TrafficRounds> of_algorithms, const PlacementSite& site,
                                 const Routes& in_blocks);

}  // namespace starling
