#pragma once

#include <cstdint>
#include <optional>

#include "topologies/facts/cabling.hpp"

namespace starling {

/// The source hosts over which a mean over pairs of hosts was taken.
enum class MeanOver {
  every_host,
  one_host,       // all hosts are equivalent
  sampled_hosts,  // the mean has a standard error
};

/// Distances between hosts along shortest paths, which pass through other hosts only if these forward.
struct DistanceFacts {
  int diameter = 0;  // in links
  MeanOver over = MeanOver::every_host;
  int sources = 0;  // the number of hosts from which distances were computed
  /// The mean number of links between two different hosts, and its standard error, 0 if it is exact.
  double mean_hops = 0;
  double mean_hops_standard_error = 0;
  /// The number of shortest paths between two different hosts, mean and minimum; paths over different
  /// parallel cables count separately. Infinite if beyond the range of a double.
  double mean_shortest_paths = 0;
  double least_shortest_paths = 0;
};

/// Whether all hosts are equivalent by symmetry: in star, ring, torus, hypercube and complete networks, and
/// in trees without empty ports, unless overrides say that cables have failed.
bool has_equivalent_hosts(const ClusterOptions& cluster, int hosts);

/// Computes distances by breadth-first search, O(links) for each source: from one host if all are equivalent;
/// from every host if that takes about a second at most; otherwise from evenly spaced host numbers, whose
/// spread gives the standard error. The network must have at least two hosts.
/// @param most_visits the most links that all searches visit together; 16 sources are searched in any case.
DistanceFacts distance_facts(const ClusterOptions& cluster, const Network& network, const Cabling& cabling,
                             std::int64_t most_visits = 300'000'000);

/// The lengths in links of the routes between hosts, where these need not be shortest paths.
struct RouteLengths {
  bool is_sample = false;
  int pairs = 0;
  double mean_links = 0;
  int longest = 0;
};

/// The lengths of the routes between all pairs of hosts, or 20,000 sampled ones; nothing if the network
/// routes along shortest paths. O(links of a route) for each pair.
std::optional<RouteLengths> route_lengths(const Network& network);

/// The number of link-disjoint paths between two hosts, on average over sampled pairs.
struct DisjointPaths {
  int pairs = 0;
  double between_hosts = 0;
  /// The same between the switches of the two hosts, over the pairs whose switches differ; absent if there
  /// are none.
  std::optional<double> between_switches = {};
};

/// Counts link-disjoint paths as maximum flows with unit capacities (Menger's theorem), in practice at most
/// O(links) per path. Samples at most `most_pairs` pairs, and none after `most_visits` links, about a second.
/// There must be at least two hosts. Reference: Boykov, Kolmogorov, "An experimental comparison of
/// min-cut/max-flow algorithms for energy minimization in vision", PAMI 26(9), 2004.
DisjointPaths disjoint_paths(const Cabling& cabling, int most_pairs = 64,
                             std::int64_t most_visits = 200'000'000);

}  // namespace starling
