#include "algorithms/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/binomial_tree.hpp"
#include "algorithms/collectives/schedules/butterfly.hpp"
#include "algorithms/collectives/schedules/dissemination_barrier.hpp"
#include "algorithms/collectives/schedules/double_tree.hpp"
#include "algorithms/collectives/schedules/halving_doubling.hpp"
#include "algorithms/collectives/schedules/hierarchical.hpp"
#include "algorithms/collectives/schedules/recursive_doubling.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "base/power_of_two.hpp"
#include "base/reject.hpp"
#include "base/types.hpp"

namespace starling {
namespace {

constexpr std::array kinds{
    CollectiveKind::ring,        CollectiveKind::recursive_doubling, CollectiveKind::halving_doubling,
    CollectiveKind::double_tree, CollectiveKind::hierarchical,       CollectiveKind::automatic};
constexpr std::array kinds_with_halves{CollectiveKind::ring, CollectiveKind::halving_doubling,
                                       CollectiveKind::automatic};

void check_size(int ranks, std::int64_t count) {
  if (ranks < 1) reject("a collective needs at least 1 rank, got {}", ranks);
  if (count < 0) reject("a collective needs 0 or more elements, got {}", count);
}

void check_root(int ranks, Rank root) {
  if (root >= 0 && root < ranks) return;
  reject("the root must be a rank from 0 to {}, got {}", ranks - 1, root);
}

double bytes_of(std::int64_t count, const CollectiveOptions& options) {
  return static_cast<double>(count) * options.bytes_per_element;
}

LinearCosts inside_costs(const CollectiveOptions& options) {
  return options.intra_host_costs.value_or(options.costs);
}

/// Costs of an exchange in which all workers of a host send to other hosts at once.
LinearCosts shared_interface_costs(const CollectiveOptions& options) {
  LinearCosts costs = options.costs;
  costs.s_per_byte *= std::max(1.0, options.workers_per_host / options.interfaces_per_host);
  return costs;
}

/// Costs of messages of which some go to other hosts and some do not.
LinearCosts worst_costs(const CollectiveOptions& options) {
  LinearCosts costs = shared_interface_costs(options);
  const LinearCosts inside = inside_costs(options);
  costs.start_up_s = std::max(costs.start_up_s, inside.start_up_s);
  costs.s_per_byte = std::max(costs.s_per_byte, inside.s_per_byte);
  return costs;
}

/// Whether partners whose numbers differ in one bit only are on one host if that is a low one.
bool do_hosts_halve(int ranks, const CollectiveOptions& options) {
  return options.workers_per_host > 1 && ranks > options.workers_per_host && is_power_of_two(ranks) &&
         is_power_of_two(options.workers_per_host);
}

/// Of hops of which one per host leaves the host.
RingCosts ring_costs(int ranks, const CollectiveOptions& options) {
  if (options.ring_costs) return *options.ring_costs;
  const LinearCosts inside = inside_costs(options);
  const int hosts = (ranks + options.workers_per_host - 1) / options.workers_per_host;
  const double share_between = hosts > 1 ? static_cast<double>(hosts) / ranks : 0;
  const auto mean = [&](double between_hosts, double inside_host) {
    return inside_host + share_between * (between_hosts - inside_host);
  };
  RingCosts costs{.mean = options.costs, .slowest_s_per_byte = inside.s_per_byte};
  costs.mean.start_up_s = mean(options.costs.start_up_s, inside.start_up_s);
  costs.mean.s_per_byte = mean(options.costs.s_per_byte, inside.s_per_byte);
  if (hosts > 1) costs.slowest_s_per_byte = std::max(inside.s_per_byte, options.costs.s_per_byte);
  return costs;
}

RingCosts host_ring_costs(const CollectiveOptions& options) {
  if (options.host_ring_costs) return *options.host_ring_costs;
  const LinearCosts costs = shared_interface_costs(options);
  return {.mean = costs, .slowest_s_per_byte = costs.s_per_byte};
}

bool are_exchanges_known(int ranks, const CollectiveOptions& options) {
  return is_power_of_two(ranks) && options.exchange_costs.size() == static_cast<std::size_t>(log2_of(ranks));
}

double predicted_recursive_doubling_s(int ranks, double bytes, const CollectiveOptions& options) {
  if (are_exchanges_known(ranks, options)) {
    double all_s = 0;
    for (const LinearCosts& costs : options.exchange_costs)
      all_s += cost::recursive_doubling_allreduce(2, bytes, costs);
    return all_s;
  }
  if (!do_hosts_halve(ranks, options))
    return cost::recursive_doubling_allreduce(ranks, bytes, worst_costs(options));
  const int per_host = options.workers_per_host;
  return cost::recursive_doubling_allreduce(per_host, bytes, inside_costs(options)) +
         cost::recursive_doubling_allreduce(ranks / per_host, bytes, shared_interface_costs(options));
}

double predicted_halving_doubling_s(int ranks, double bytes, const CollectiveOptions& options) {
  if (are_exchanges_known(ranks, options)) {
    double all_s = 0;
    for (const LinearCosts& costs : options.exchange_costs) {
      all_s += cost::halving_doubling_allreduce(2, bytes, costs);
      bytes /= 2;
    }
    return all_s;
  }
  if (!do_hosts_halve(ranks, options))
    return cost::halving_doubling_allreduce(ranks, bytes, worst_costs(options));
  const int per_host = options.workers_per_host;
  return cost::halving_doubling_allreduce(per_host, bytes, inside_costs(options)) +
         cost::halving_doubling_allreduce(ranks / per_host, bytes / per_host,
                                          shared_interface_costs(options));
}

/// The segments of each tree that cost the least, some of which may be sent eagerly.
int cheapest_double_tree_segments(int ranks, std::int64_t count, const CollectiveOptions& options) {
  const double bytes = bytes_of(count, options);
  const LinearCosts eager = worst_costs(options);
  LinearCosts waiting = eager;
  waiting.start_up_s += options.handshake_s;
  const int depth = DoubleTree(ranks).depth();
  const auto best = [&](const LinearCosts& costs) {
    return best_double_tree_segments(depth, bytes, costs.start_up_s, costs.s_per_byte,
                                     costs.reduction_s_per_byte);
  };
  const std::int64_t half = (count + DoubleTree::trees - 1) / DoubleTree::trees;
  const double most_elements = std::floor(options.eager_bytes / options.bytes_per_element);
  const double fewest_eager = most_elements >= 1 ? std::ceil(static_cast<double>(half) / most_elements)
                                                 : 2.0 * most_double_tree_segments;
  if (const int segments = best(eager); segments >= fewest_eager) return segments;
  const int of_waiting = best(waiting);
  if (fewest_eager > most_double_tree_segments) return of_waiting;
  const auto of_eager = static_cast<int>(fewest_eager);
  return cost::double_tree_allreduce(ranks, bytes, of_eager, eager) <
                 cost::double_tree_allreduce(ranks, bytes, of_waiting, waiting)
             ? of_eager
             : of_waiting;
}

int double_tree_segments(int ranks, std::int64_t count, const CollectiveOptions& options) {
  constexpr double default_segment_bytes = 256 * kibibyte;
  if (options.costs.start_up_s > 0 && options.costs.s_per_byte > 0)
    return cheapest_double_tree_segments(ranks, count, options);
  const double half_bytes = bytes_of(count, options) / DoubleTree::trees;
  return static_cast<int>(std::clamp(std::ceil(half_bytes / default_segment_bytes), 1.0, 65536.0));
}

std::unique_ptr<Schedule> make_hierarchical(int ranks, std::int64_t count, int workers_per_host) {
  const int hosts = std::max(1, ranks / std::max(1, workers_per_host));
  const EvenPartition chunks(count, std::max(1, workers_per_host));
  const auto make_between = [&](int chunk) {
    return make_allreduce(CollectiveKind::ring, hosts, chunks.chunk(chunk).count);
  };
  return std::make_unique<HierarchicalAllReduce>(ranks, count, workers_per_host, make_between(0),
                                                 make_between(chunks.chunks() - 1));
}

double predicted_s(CollectiveKind kind, int ranks, std::int64_t count, const CollectiveOptions& options) {
  const double bytes = bytes_of(count, options);
  switch (kind) {
    case CollectiveKind::ring:
      return cost::unlike_ring_allreduce(ranks, bytes, ring_costs(ranks, options));
    case CollectiveKind::recursive_doubling:
      return predicted_recursive_doubling_s(ranks, bytes, options);
    case CollectiveKind::halving_doubling:
      return predicted_halving_doubling_s(ranks, bytes, options);
    case CollectiveKind::double_tree:
      return cost::double_tree_allreduce(ranks, bytes, double_tree_segments(ranks, count, options),
                                         worst_costs(options));
    case CollectiveKind::hierarchical:
    case CollectiveKind::automatic:
      break;
  }
  const std::int64_t chunk = (count + options.workers_per_host - 1) / options.workers_per_host;
  const double between_s = cost::unlike_ring_allreduce(ranks / options.workers_per_host,
                                                       bytes_of(chunk, options), host_ring_costs(options));
  return cost::hierarchical_allreduce(options.workers_per_host, bytes, inside_costs(options), between_s);
}

/// What `automatic` goes by. Of a ring, too, each message counts as that of its dearest hop at least, as
/// those of others count: a ring told as it is would be taken where they are faster.
double compared_s(CollectiveKind kind, int ranks, std::int64_t count, const CollectiveOptions& options) {
  const double kind_s = predicted_s(kind, ranks, count, options);
  if (kind != CollectiveKind::ring) return kind_s;
  const double bytes = bytes_of(count, options);
  return std::max({kind_s, cost::ring_allreduce(ranks, bytes, options.costs),
                   cost::ring_allreduce(ranks, bytes, inside_costs(options))});
}

/// ring or halving_doubling, for one half of an all-reduce.
CollectiveKind half_kind(CollectiveKind kind, int ranks, std::int64_t count,
                         const CollectiveOptions& options) {
  if (std::ranges::find(kinds_with_halves, kind) == kinds_with_halves.end()) {
    reject("{} has no reduce-scatter and all-gather; it must be one of {}", name_of(kind),
           fmt::join(half_collective_names(), ", "));
  }
  if (kind != CollectiveKind::automatic) return kind;
  if (!is_power_of_two(ranks)) return CollectiveKind::ring;
  const double ring_s = compared_s(CollectiveKind::ring, ranks, count, options);
  const double halving_s = compared_s(CollectiveKind::halving_doubling, ranks, count, options);
  return halving_s < ring_s ? CollectiveKind::halving_doubling : CollectiveKind::ring;
}

/// What `automatic` takes.
CollectiveKind cheapest_allreduce(int ranks, std::int64_t count, const CollectiveOptions& options) {
  CollectiveKind cheapest = CollectiveKind::ring;
  double least_s = compared_s(cheapest, ranks, count, options);
  for (const CollectiveKind kind : kinds) {
    const bool is_possible =
        kind != CollectiveKind::automatic &&
        (kind != CollectiveKind::hierarchical || is_hierarchical_possible(ranks, options.workers_per_host));
    if (!is_possible) continue;
    const double kind_s = compared_s(kind, ranks, count, options);
    if (kind_s < least_s) {
      least_s = kind_s;
      cheapest = kind;
    }
  }
  return cheapest;
}

}  // namespace

bool is_hierarchical_possible(int ranks, int workers_per_host) {
  return workers_per_host > 1 && ranks > workers_per_host && ranks % workers_per_host == 0;
}

std::string_view name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::ring:
      return "ring";
    case CollectiveKind::recursive_doubling:
      return "recursive_doubling";
    case CollectiveKind::halving_doubling:
      return "halving_doubling";
    case CollectiveKind::double_tree:
      return "double_tree";
    case CollectiveKind::hierarchical:
      return "hierarchical";
    case CollectiveKind::automatic:
      break;
  }
  return "auto";
}

std::optional<CollectiveKind> collective_kind(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, name_of);
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

std::span<const CollectiveKind> collective_kinds() { return kinds; }

std::vector<std::string> half_collective_names() {
  std::vector<std::string> names;
  for (const CollectiveKind kind : kinds_with_halves) names.emplace_back(name_of(kind));
  return names;
}

double predicted_allreduce_s(CollectiveKind kind, int ranks, std::int64_t count,
                             const CollectiveOptions& options) {
  make_allreduce(kind, ranks, count, options);  // throws where there is none
  const bool is_open = kind == CollectiveKind::automatic;
  return predicted_s(is_open ? cheapest_allreduce(ranks, count, options) : kind, ranks, count, options);
}

std::unique_ptr<Schedule> make_allreduce(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options) {
  check_size(ranks, count);
  switch (kind) {
    case CollectiveKind::ring:
      return std::make_unique<RingSchedule>(RingSchedule::Phase::allreduce, ranks, count);
    case CollectiveKind::recursive_doubling:
      return std::make_unique<RecursiveDoublingAllReduce>(ranks, count);
    case CollectiveKind::halving_doubling:
      return std::make_unique<HalvingDoublingAllReduce>(ranks, count);
    case CollectiveKind::double_tree:
      return std::make_unique<DoubleTreeAllReduce>(ranks, count, double_tree_segments(ranks, count, options));
    case CollectiveKind::hierarchical:
      return make_hierarchical(ranks, count, options.workers_per_host);
    case CollectiveKind::automatic:
      break;
  }
  return make_allreduce(cheapest_allreduce(ranks, count, options), ranks, count, options);
}

std::unique_ptr<Schedule> make_reduce_scatter(CollectiveKind kind, int ranks, std::int64_t count,
                                              const CollectiveOptions& options) {
  check_size(ranks, count);
  if (half_kind(kind, ranks, count, options) == CollectiveKind::ring) {
    return std::make_unique<RingSchedule>(RingSchedule::Phase::reduce_scatter, ranks, count);
  }
  return std::make_unique<RecursiveHalvingSchedule>(RecursiveHalvingSchedule::Phase::reduce_scatter, ranks,
                                                    count);
}

std::unique_ptr<Schedule> make_allgather(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options) {
  check_size(ranks, count);
  if (half_kind(kind, ranks, count, options) == CollectiveKind::ring) {
    return std::make_unique<RingSchedule>(RingSchedule::Phase::allgather, ranks, count);
  }
  return std::make_unique<RecursiveHalvingSchedule>(RecursiveHalvingSchedule::Phase::allgather, ranks, count);
}

std::unique_ptr<Schedule> make_broadcast(int ranks, std::int64_t count, Rank root) {
  check_size(ranks, count);
  check_root(ranks, root);
  return std::make_unique<BinomialBroadcast>(ranks, count, root);
}

std::unique_ptr<Schedule> make_reduce(int ranks, std::int64_t count, Rank root) {
  check_size(ranks, count);
  check_root(ranks, root);
  return std::make_unique<BinomialReduce>(ranks, count, root);
}

std::unique_ptr<Schedule> make_group_allreduce(int ranks, std::int64_t count, int group_size,
                                               std::int64_t iteration) {
  check_size(ranks, count);
  return std::make_unique<ButterflyGroupAllReduce>(Butterfly(ranks, group_size, iteration), count);
}

void barrier(Worker& worker, Tag tag) {
  run_schedule(worker, DisseminationBarrier(worker.world_size()), Buffer::sized(1, 0.0), tag,
               MessageKind::control);
}

void allreduce(Worker& worker, Buffer buffer, Tag tag, CollectiveKind kind,
               const CollectiveOptions& options) {
  run_schedule(worker, *make_allreduce(kind, worker.world_size(), buffer.count(), options), buffer, tag);
}

void broadcast(Worker& worker, Buffer buffer, Rank root, Tag tag) {
  run_schedule(worker, *make_broadcast(worker.world_size(), buffer.count(), root), buffer, tag);
}

}  // namespace starling
