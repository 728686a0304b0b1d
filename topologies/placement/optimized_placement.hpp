#pragma once

#include <span>
#include <vector>

#include "sim/routes.hpp"
#include "topologies/placement/placement.hpp"
#include "topologies/placement/rank_traffic.hpp"

namespace starling {

/// What a placement makes of some traffic: seconds of sending, were all of it sent at once.
struct PlacementCost {
  /// What the link takes that takes longest.
  double bottleneck_s = 0;
  /// What all links take together: bytes times hops, each hop weighed by how slow it is.
  double total_s = 0;
};

/// Whether the bottleneck is less, or the same and the total less, beyond rounding.
bool is_better(const PlacementCost& one, const PlacementCost& other);

/// What traffic costs on the links between hosts of `placed`. O(pairs · links of a route).
PlacementCost placement_cost(std::span<const RankTraffic> traffic, const Routes& placed);

/// Networks of more hosts are not optimized for.
inline constexpr int most_optimized_hosts = 1024;

/// The host of each rank for which traffic costs little, of one or several algorithms that run one after the
/// other; every workers_per_host successive ranks stay on one host.
///
/// The best of block, of the snake where there is a grid, and of a greedy construction, each as it is and
/// after exchanging pairs of hosts as long as that lessens the total of all traffic. Best is the least sum
/// over the algorithms of the bottlenecks of all rounds, relative to that on blocks; of equal ones the least
/// sum of totals, likewise.
///
/// `in_blocks` is the network with block placement. The same on every call. Costs hosts² routes, hosts² ·
/// neighbors for the construction, which is left out where that is more than 2²⁸, and at most as much for the
/// exchanges: a second or two at the most, and 100 MB for 1024 hosts.
/// Reference: Hoefler, Snir, "Generic topology mapping strategies for large-scale parallel architectures",
/// ICS 2011 (greedy construction, dilation and congestion); Kernighan, Lin, "An efficient heuristic procedure
/// for partitioning graphs", Bell System Technical Journal 49(2), 1970 (exchange of pairs).
///
/// @throws std::invalid_argument, beginning with "placement", for more than most_optimized_hosts.
std::vector<int> optimized_hosts(std::span<const TrafficRounds> of_algorithms, const PlacementSite& site,
                                 const Routes& in_blocks);

}  // namespace starling
