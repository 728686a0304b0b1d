#pragma once

#include <cstdint>

namespace starling {

/// What a message costs between two workers when nothing else uses the network.
struct LinearCosts {
  double start_up_s = 0;            // α: latencies of the route plus the overhead at both ends
  double s_per_byte = 0;            // β: reciprocal of the route's least bandwidth
  double reduction_s_per_byte = 0;  // γ: of local reduction
};

/// What messages cost that are sent at once. Where they wait for their receivers, all wait for the slowest,
/// which is then the mean, too.
struct StepCosts {
  LinearCosts mean = {};
  LinearCosts slowest = {};  // the greatest α of any of them, and the greatest β
};

/// Seconds from the common start of all ranks to the end of the last one, for P ranks and m bytes.
///
/// A message of m' bytes starts when both its ends have begun their rounds and takes α + m'β, plus m'γ where
/// the round reduces. m/P stands for a chunk, so the formulas are exact where P (for halving-doubling its
/// largest power of two) divides the elements. A simulated run takes exactly as long where all ranks do the
/// same at the same time: rings, everything else for powers of two, broadcasts also for other P if messages
/// wait for their receiver. Where ranks are at different steps (a fold; a binomial reduce whose P is no power
/// of two), eager messages come early. That saves up to one message, or delays others on their receiver's
/// link: with long vectors by up to a fifth under `event` and three fifths under `simgrid`.
///
/// Reference: Thakur, Rabenseifner, Gropp, IJHPCA 19(1) 2005; Chan, Heimlich, Purkayastha, van de Geijn 2007.
namespace cost {

/// (P−1)(α + m/P·(β+γ))
double ring_reduce_scatter(int ranks, double bytes, const LinearCosts& costs);
/// (P−1)(α + m/P·β)
double ring_allgather(int ranks, double bytes, const LinearCosts& costs);
/// 2(P−1)α + 2(P−1)/P·mβ + (P−1)/P·mγ
double ring_allreduce(int ranks, double bytes, const LinearCosts& costs);

/// 2(P−1)·max(ᾱ + m/P·β̄, m/P·β_max) + (P−1)/P·mγ. A step of a rank waits for the step before it of the same
/// rank, and of the rank before it: the bytes of the slowest hop have to follow each other, and what is
/// waited for goes around the ring, at the mean of its hops. If the mean is more, ranks take so long on
/// average, and no two differ by more than a hop; if the slowest hop is, the last rank does, and others are
/// done before.
double unlike_ring_allreduce(int ranks, double bytes, const StepCosts& hops);

/// ⌊log₂P⌋(α + m(β+γ)), and where P is not a power of two 2α + m(2β+γ) for folding.
double recursive_doubling_allreduce(int ranks, double bytes, const LinearCosts& costs);

/// With Q = 2^⌊log₂P⌋: 2log₂Q·α + 2(Q−1)/Q·mβ + (Q−1)/Q·mγ, and where P ≠ Q 2α + m(2β+γ) for folding.
double halving_doubling_allreduce(int ranks, double bytes, const LinearCosts& costs);
/// log₂P·α + (P−1)/P·m(β+γ); P a power of two.
double recursive_halving_reduce_scatter(int ranks, double bytes, const LinearCosts& costs);
/// log₂P·α + (P−1)/P·mβ; P a power of two.
double recursive_doubling_allgather(int ranks, double bytes, const LinearCosts& costs);

/// ⌈log₂P⌉(α + m(β+γ))
double binomial_reduce(int ranks, double bytes, const LinearCosts& costs);
/// ⌈log₂P⌉(α + mβ)
double binomial_broadcast(int ranks, double bytes, const LinearCosts& costs);
/// (P−1)α + (n + P − 2)·mβ/n for n segments; nothing for one rank.
double chain_broadcast(int ranks, double bytes, int segments, const LinearCosts& costs);

/// (D + 2(n−1))(2α + m/(2n)·(2β+γ)), where each of the two trees works on half of the bytes in n segments,
/// and the first segment needs D steps from the leaves to the root; for two ranks n(2α + m/(2n)·(2β+γ)). See
/// DoubleTreeAllReduce.
double double_tree_allreduce(int ranks, double bytes, int segments, const LinearCosts& costs);

/// Ring reduce-scatter and all-gather inside a host of L workers around `inter_host_s`, the time of an
/// all-reduce of m/L bytes over the hosts: (L−1)(2α + m/L·(2β+γ)) + inter_host_s, with α and β of the
/// intra-host link.
double hierarchical_allreduce(int workers_per_host, double bytes, const LinearCosts& intra_host,
                              double inter_host_s);

/// log₂S(α + m(β+γ))
double butterfly_group_allreduce(int group_size, double bytes, const LinearCosts& costs);

/// ⌈log₂P⌉α
double dissemination_barrier(int ranks, const LinearCosts& costs);

}  // namespace cost
}  // namespace starling
