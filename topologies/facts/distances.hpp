#pragma once

#include <cstdint>
#include <optional>

#include "topologies/facts/cabling.hpp"

namespace starling {

/// How a mean over pairs of hosts was found.
enum class MeanOver {
  every_host,
  one_host,       // all hosts see the same network
  sampled_hosts,  // with a standard error
};

/// How far hosts are apart, over shortest paths, which lead through hosts only where these forward.
struct DistanceFacts {
  int diameter = 0;  // in links
  MeanOver over = MeanOver::every_host;
  int sources = 0;  // the hosts from which distances were measured
  /// Links between two different hosts, on average, and its standard error; 0 where it is exact.
  double mean_hops = 0;
  double mean_hops_standard_error = 0;
  /// How many shortest paths join two different hosts, on average and at least; parallel cables make as many
  /// paths. Infinite where there are more than a double holds.
  double mean_shortest_paths = 0;
  double least_shortest_paths = 0;
};

/// Whether every host sees the same network, up to the numbers of the others: all of star, ring, torus,
/// hypercube and complete, and trees whose ports are all taken.
bool has_equivalent_hosts(const ClusterOptions& cluster, int hosts);

/// Measures distances by breadth-first search: from one host where all are equivalent; from each host where
/// that takes less than a second or so; else from hosts at equal distances in the order of their numbers,
/// from whose differences the standard error follows. O(links) for each. The network must have two hosts.
/// @param most_looks how many links are looked at, if there are at least 16 hosts to begin from.
DistanceFacts distance_facts(const ClusterOptions& cluster, const Network& network, const Cabling& cabling,
                             std::int64_t most_looks = 300'000'000);

/// How long the routes are that messages between hosts take, where these need not be shortest paths.
struct RouteLengths {
  bool is_sample = false;
  int pairs = 0;
  double mean_links = 0;
  int longest = 0;
};

/// The lengths of routes between all pairs of hosts, or 20,000 that are drawn; nothing where messages take
/// shortest paths. O(links of a route) for each.
std::optional<RouteLengths> route_lengths(const Network& network);

/// How many paths without a common link join two hosts, on average over sampled pairs.
struct DisjointPaths {
  int pairs = 0;
  double between_hosts = 0;
  /// How many join the switches of the two hosts, where those are different ones; absent where no two are.
  std::optional<double> between_switches = {};
};

/// Counts disjoint paths as greatest flows of one unit a link (Menger's theorem), in practice O(links) for
/// each path at most. Pairs are fewer where that would take more than a second or so. Reference: Boykov,
/// Kolmogorov, "An experimental comparison of min-cut/max-flow algorithms for energy minimization in vision",
/// PAMI 26(9), 2004.
DisjointPaths disjoint_paths(const Cabling& cabling, int most_pairs = 64,
                             std::int64_t most_looks = 200'000'000);

}  // namespace starling
