#pragma once

#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// The bisection bandwidth in bytes per second: the least, over all ways to part the hosts into halves (of
/// ⌊hosts/2⌋ and the rest), of the maximum flow from the smaller half to the other.
struct BisectionFacts {
  enum class Known { exactly, at_most, between };
  Known known = Known::at_most;
  double most_Bps = 0;
  /// Equal where it is known exactly; 0 where nothing is.
  double least_Bps = 0;
};

/// Finding it is NP-hard in general. Exactly:
/// - by the maximum flow of every parting, up to 12 hosts;
/// - by that of the halves by number, for star, complete, ring, line and hypercube, for torus and mesh with
/// an even greatest dimension, and for trees without empty ports whose topmost switches have an even number
/// of subtrees (a subtree that is parted costs a concave function of its share, so whole ones cost least);
/// none of them with overrides or unequal links of dimensions. Else the least maximum flow of some partings:
/// the halves by number, in a grid along each dimension, and those of the Fiedler vector, is an upper bound;
/// where hosts and switches are at most 1000, λ₂⌊H/2⌋⌈H/2⌉/H is a lower one, with λ₂ the second least
/// eigenvalue of the Laplacian of bandwidths, reduced to the hosts (its Schur complement), of H hosts.
/// Reference: Leighton, "Introduction to Parallel Algorithms and Architectures", 1992, 1.9 and 3.1 (grids,
/// hypercube); Aroca, Fernández Anta, "Bisection (band)width of product networks with application to data
/// centers", IEEE TPDS 25(3), 2014 (tori and meshes of unequal dimensions); Fiedler, "Algebraic connectivity
/// of graphs", Czechoslovak Mathematical Journal 23(2), 1973; Mohar, "The Laplacian spectrum of graphs",
/// 1991.
BisectionFacts bisection_facts(const ClusterOptions& cluster, const Network& network);

}  // namespace starling
