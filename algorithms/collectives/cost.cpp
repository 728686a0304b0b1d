#include "algorithms/collectives/cost.hpp"

#include <algorithm>

#include "algorithms/collectives/schedules/double_tree.hpp"
#include "algorithms/collectives/schedules/fold.hpp"
#include "base/numbers/power_of_two.hpp"

namespace starling::cost {
namespace {

double send_s(double bytes, const LinearCosts& costs) { return costs.start_up_s + bytes * costs.s_per_byte; }

double reduce_s(double bytes, const LinearCosts& costs) {
  return send_s(bytes, costs) + bytes * costs.reduction_s_per_byte;
}

double fold_s(const Fold& fold, double bytes, const LinearCosts& costs) {
  return fold.extra_rounds() * (reduce_s(bytes, costs) + send_s(bytes, costs));
}

}  // namespace

double ring_reduce_scatter(int ranks, double bytes, const LinearCosts& costs) {
  return (ranks - 1) * reduce_s(bytes / ranks, costs);
}

double ring_allgather(int ranks, double bytes, const LinearCosts& costs) {
  return (ranks - 1) * send_s(bytes / ranks, costs);
}

double ring_allreduce(int ranks, double bytes, const LinearCosts& costs) {
  return ring_reduce_scatter(ranks, bytes, costs) + ring_allgather(ranks, bytes, costs);
}

double unlike_ring_allreduce(int ranks, double bytes, const StepCosts& hops) {
  LinearCosts slowest = hops.slowest;
  slowest.start_up_s = 0;
  return std::max(ring_allreduce(ranks, bytes, hops.mean), ring_allreduce(ranks, bytes, slowest));
}

double recursive_doubling_allreduce(int ranks, double bytes, const LinearCosts& costs) {
  const Fold fold(ranks);
  return fold.dimensions() * reduce_s(bytes, costs) + fold_s(fold, bytes, costs);
}

double halving_doubling_allreduce(int ranks, double bytes, const LinearCosts& costs) {
  const Fold fold(ranks);
  return recursive_halving_reduce_scatter(fold.core_size(), bytes, costs) +
         recursive_doubling_allgather(fold.core_size(), bytes, costs) + fold_s(fold, bytes, costs);
}

double recursive_halving_reduce_scatter(int ranks, double bytes, const LinearCosts& costs) {
  const double moved_bytes = bytes * (ranks - 1) / ranks;
  return ceil_log2(ranks) * costs.start_up_s + moved_bytes * (costs.s_per_byte + costs.reduction_s_per_byte);
}

double recursive_doubling_allgather(int ranks, double bytes, const LinearCosts& costs) {
  return ceil_log2(ranks) * costs.start_up_s + bytes * (ranks - 1) / ranks * costs.s_per_byte;
}

double binomial_reduce(int ranks, double bytes, const LinearCosts& costs) {
  return ceil_log2(ranks) * reduce_s(bytes, costs);
}

double binomial_broadcast(int ranks, double bytes, const LinearCosts& costs) {
  return ceil_log2(ranks) * send_s(bytes, costs);
}

double chain_broadcast(int ranks, double bytes, int segments, const LinearCosts& costs) {
  if (ranks == 1) return 0;
  return (ranks - 1) * costs.start_up_s + (segments + ranks - 2) * bytes / segments * costs.s_per_byte;
}

double double_tree_allreduce(int ranks, double bytes, int segments, const LinearCosts& costs) {
  if (ranks == 1) return 0;
  // Two ranks use one color only, so every other step is empty.
  const int steps = ranks == 2 ? segments : DoubleTree(ranks).depth() + 2 * (segments - 1);
  const double segment_bytes = bytes / (DoubleTree::trees * segments);
  return steps * (reduce_s(segment_bytes, costs) + send_s(segment_bytes, costs));
}

double hierarchical_allreduce(int workers_per_host, double bytes, const LinearCosts& intra_host,
                              double inter_host_s) {
  return ring_allreduce(workers_per_host, bytes, intra_host) + inter_host_s;
}

double butterfly_group_allreduce(int group_size, double bytes, const LinearCosts& costs) {
  return ceil_log2(group_size) * reduce_s(bytes, costs);
}

double dissemination_barrier(int ranks, const LinearCosts& costs) {
  return ceil_log2(ranks) * costs.start_up_s;
}

}  // namespace starling::cost
