#pragma once

#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// The bisection bandwidth in bytes per second: the minimum, over all partitions of the hosts into halves
/// (⌊hosts/2⌋ hosts and the rest), of the maximum flow from the smaller half to the other.
struct BisectionFacts {
  enum class Known { exactly, at_most, between };
  Known known = Known::at_most;
  double most_Bps = 0;
  /// The lower bound: equal to most_Bps if the value is known exactly, 0 if no bound is known.
  double least_Bps = 0;
};

/// Computes the bisection bandwidth, which is NP-hard in general. It is exact
/// - up to 12 hosts and 10,000 links, by the maximum flow of every partition;
/// - by the maximum flow between the first half of the hosts and the second, for star, complete, ring, line
/// and hypercube, for torus and mesh with an even greatest dimension, and for trees without empty ports whose
/// topmost switches have an even number of subtrees (the cost of splitting a subtree is concave in the share
/// split off, so whole subtrees cost least); all without overrides and with equal links in all dimensions.
///
/// Otherwise the result is bounds. Upper bound: the least maximum flow over some partitions, namely the
/// halves by host number (in a grid, along each dimension) and the halves by the Fiedler vector. Lower bound,
/// if there are at most 1000 hosts and switches: λ₂⌊H/2⌋⌈H/2⌉/H for H hosts, with λ₂ the second least
/// eigenvalue of the Laplacian of bandwidths, reduced to the hosts (its Schur complement). The Fiedler
/// vector, too, is computed up to that size only.
/// Reference: Leighton, "Introduction to Parallel Algorithms and Architectures", 1992, 1.9 and 3.1 (grids,
/// hypercube); Aroca, Fernández Anta, "Bisection (band)width of product networks with application to data
/// centers", IEEE TPDS 25(3), 2014 (tori and meshes of unequal dimensions); Fiedler, "Algebraic connectivity
/// of graphs", Czechoslovak Mathematical Journal 23(2), 1973; Mohar, "The Laplacian spectrum of graphs",
/// 1991.
BisectionFacts bisection_facts(const ClusterOptions& cluster, const Network& network);

}  // namespace starling
