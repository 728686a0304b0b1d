#pragma once

#include <cstdint>

namespace starling {

/// The cost of a message between two workers when nothing else uses the network.
struct LinearCosts {
  double start_up_s = 0;            // α: latencies of the route plus the overhead at both ends
  double s_per_byte = 0;            // β: reciprocal of the route's least bandwidth
  double reduction_s_per_byte = 0;  // γ: local reduction
};

/// The costs of messages that are sent at the same time. Under rendezvous every message waits for the slowest
/// one, so `mean` equals `slowest`.
struct StepCosts {
  LinearCosts mean = {};
  LinearCosts slowest = {};  // the greatest α, β and γ of any message
};

/// Seconds from the common start of all ranks to the end of the last one, for P ranks and m bytes.
///
/// A message of m' bytes starts when both its ends have begun their rounds, and takes α + m'β, plus m'γ if
/// the round reduces. m/P stands for the size of a chunk, so the formulas are exact if P (for
/// halving-doubling the largest power of two ≤ P) divides the number of elements. A simulated run takes
/// exactly as long if all ranks do the same at the same time: rings for every P, all others for powers of
/// two, and under rendezvous broadcasts for every P. Where ranks are at different steps (in a fold, or in a
/// binomial reduce whose P is no power of two), eager messages leave early. They save up to the time of one
/// message, or delay others on their receiver's link: with long vectors by up to a fifth under `event` and
/// three fifths under `simgrid`.
///
/// Reference: Thakur, Rabenseifner, Gropp, IJHPCA 19(1) 2005; Chan, Heimlich, Purkayastha, van de Geijn 2007.
namespace cost {

/// (P−1)(α + m/P·(β+γ))
double ring_reduce_scatter(int ranks, double bytes, const LinearCosts& costs);
/// (P−1)(α + m/P·β)
double ring_allgather(int ranks, double bytes, const LinearCosts& costs);
/// 2(P−1)α + 2(P−1)/P·mβ + (P−1)/P·mγ
double ring_allreduce(int ranks, double bytes, const LinearCosts& costs);

/// A ring whose hops differ: 2(P−1)·max(ᾱ + m/P·β̄, m/P·β_max) + (P−1)/P·mγ. A step of a rank waits for the
/// previous step of the same rank and of its left neighbor. So there are two bounds: the transmissions over
/// the slowest hop follow each other, and dependencies travel around the ring at the mean time of its hops.
/// If the mean is the larger bound, ranks take that long on average, and no two ranks differ by more than a
/// hop; if the slowest hop is, the last rank takes that long, and others end earlier.
double unlike_ring_allreduce(int ranks, double bytes, const StepCosts& hops);

/// ⌊log₂P⌋(α + m(β+γ)), plus 2α + m(2β+γ) for folding if P is not a power of two.
double recursive_doubling_allreduce(int ranks, double bytes, const LinearCosts& costs);

/// With Q = 2^⌊log₂P⌋: 2log₂Q·α + 2(Q−1)/Q·mβ + (Q−1)/Q·mγ, plus 2α + m(2β+γ) for folding if P ≠ Q.
double halving_doubling_allreduce(int ranks, double bytes, const LinearCosts& costs);
/// log₂P·α + (P−1)/P·m(β+γ); P a power of two.
double recursive_halving_reduce_scatter(int ranks, double bytes, const LinearCosts& costs);
/// log₂P·α + (P−1)/P·mβ; P a power of two.
double recursive_doubling_allgather(int ranks, double bytes, const LinearCosts& costs);

/// ⌈log₂P⌉(α + m(β+γ))
double binomial_reduce(int ranks, double bytes, const LinearCosts& costs);
/// ⌈log₂P⌉(α + mβ)
double binomial_broadcast(int ranks, double bytes, const LinearCosts& costs);
/// (P−1)α + (n + P − 2)·mβ/n for n segments; 0 for one rank.
double chain_broadcast(int ranks, double bytes, int segments, const LinearCosts& costs);

/// (D + 2(n−1))(2α + m/(2n)·(2β+γ)), where each of the two trees works on half of the bytes in n segments,
/// and the first segment takes D steps from the leaves to the root; n(2α + m/(2n)·(2β+γ)) for two ranks, 0
/// for one. See DoubleTreeAllReduce.
double double_tree_allreduce(int ranks, double bytes, int segments, const LinearCosts& costs);

/// (L−1)(2α + m/L·(2β+γ)) + inter_host_s: a ring reduce-scatter and all-gather inside a host of L workers,
/// with α and β of the intra-host link, and between them an all-reduce of m/L bytes over the hosts, which
/// takes `inter_host_s`.
double hierarchical_allreduce(int workers_per_host, double bytes, const LinearCosts& intra_host,
                              double inter_host_s);

/// log₂S(α + m(β+γ))
double butterfly_group_allreduce(int group_size, double bytes, const LinearCosts& costs);

/// ⌈log₂P⌉α
double dissemination_barrier(int ranks, const LinearCosts& costs);

}  // namespace cost
}  // namespace starling
