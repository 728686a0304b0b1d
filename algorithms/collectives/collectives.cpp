#include "algorithms/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/binomial_tree.hpp"
#include "algorithms/collectives/schedules/butterfly.hpp"
#include "algorithms/collectives/schedules/dissemination_barrier.hpp"
#include "algorithms/collectives/schedules/double_tree.hpp"
#include "algorithms/collectives/schedules/halving_doubling.hpp"
#include "algorithms/collectives/schedules/hierarchical.hpp"
#include "algorithms/collectives/schedules/recursive_doubling.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "base/numbers/power_of_two.hpp"
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

void check_size(int ranks, std::int64_t count, const CollectiveOptions& options) {
  check_size(ranks, count);
  if (options.workers_per_host < 1)
    reject("a host needs at least 1 worker, got {}", options.workers_per_host);
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

/// The greatest α and β of messages that all workers of a host send at the same time, some to other hosts and
/// some within the host.
LinearCosts worst_costs(const CollectiveOptions& options) {
  LinearCosts costs = options.costs;
  costs.s_per_byte *= std::max(1.0, options.workers_per_host / options.interfaces_per_host);
  const LinearCosts inside = inside_costs(options);
  costs.start_up_s = std::max(costs.start_up_s, inside.start_up_s);
  costs.s_per_byte = std::max(costs.s_per_byte, inside.s_per_byte);
  return costs;
}

/// The cheapest number of segments per tree, where segments of up to options.eager_bytes are sent eagerly and
/// larger ones by rendezvous.
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

/// The cost formulas of all-reduces of `count` elements over `ranks` ranks, or the part that is start-ups.
class AllreduceFormulas {
 public:
  enum class Part { all, start_ups };

  AllreduceFormulas(int ranks, std::int64_t count, const CollectiveOptions& options,
                    const CollectiveSteps& steps, Part part)
      : ranks_(ranks), count_(count), options_(options), steps_(steps), part_(part) {}

  double seconds(CollectiveKind kind) const {
    switch (kind) {
      case CollectiveKind::ring:
        return ring_s(steps_.ring, ranks_, bytes());
      case CollectiveKind::recursive_doubling:
        return recursive_doubling_s();
      case CollectiveKind::halving_doubling:
        return halving_doubling_s();
      case CollectiveKind::double_tree:
        return double_tree_s();
      case CollectiveKind::hierarchical:
        return hierarchical_s();
      case CollectiveKind::automatic:
        break;
    }
    return seconds(cheapest());
  }

  /// The kind that `automatic` stands for.
  CollectiveKind cheapest() const {
    std::vector<CollectiveKind> possible(kinds.begin(), kinds.end());
    std::erase(possible, CollectiveKind::automatic);
    if (!is_hierarchical_possible(ranks_, options_.workers_per_host))
      std::erase(possible, CollectiveKind::hierarchical);
    return *std::ranges::min_element(possible, {}, [this](CollectiveKind kind) { return seconds(kind); });
  }

 private:
  double bytes() const { return bytes_of(count_, options_); }

  StepCosts costs(const StepCostsBySize& step, double bytes) const {
    if (!step) return {};
    StepCosts costs = step(bytes);
    if (part_ == Part::start_ups)
      for (LinearCosts* of : {&costs.mean, &costs.slowest}) *of = {.start_up_s = of->start_up_s};
    return costs;
  }

  double ring_s(const StepCostsBySize& hops, int ranks, double bytes) const {
    return cost::unlike_ring_allreduce(ranks, bytes, costs(hops, bytes / ranks));
  }

  double fold_s() const {
    return cost::binomial_reduce(2, bytes(), costs(steps_.fold_before, bytes()).slowest) +
           cost::binomial_broadcast(2, bytes(), costs(steps_.fold_after, bytes()).slowest);
  }

  double recursive_doubling_s() const {
    double all_s = fold_s();
    for (const StepCostsBySize& exchange : steps_.exchanges)
      all_s += cost::recursive_doubling_allreduce(2, bytes(), costs(exchange, bytes()).slowest);
    return all_s;
  }

  double halving_doubling_s() const {
    double all_s = fold_s();
    double bytes_left = bytes();
    for (const StepCostsBySize& exchange : steps_.exchanges) {
      all_s += cost::halving_doubling_allreduce(2, bytes_left, costs(exchange, bytes_left / 2).slowest);
      bytes_left /= 2;
    }
    return all_s;
  }

  double double_tree_s() const {
    const int segments = part_ == Part::start_ups ? 1 : double_tree_segments(ranks_, count_, options_);
    StepMessages slowest;
    for (const StepCostsBySize& edges : steps_.edges)
      slowest.add(costs(edges, bytes() / (DoubleTree::trees * segments)).slowest);
    return cost::double_tree_allreduce(ranks_, bytes(), segments, slowest.costs().mean);
  }

  double hierarchical_s() const {
    const int per_host = options_.workers_per_host;
    const std::int64_t chunk = (count_ + per_host - 1) / per_host;
    const double between_s = ring_s(steps_.between_hosts, ranks_ / per_host, bytes_of(chunk, options_));
    return ring_s(steps_.inside_hosts, per_host, bytes()) + between_s;
  }

  int ranks_;
  std::int64_t count_;
  const CollectiveOptions& options_;
  const CollectiveSteps& steps_;
  Part part_;
};

/// The default of CollectiveOptions::step_costs, from workers_per_host, interfaces_per_host, costs,
/// intra_host_costs, eager_bytes and handshake_s alone.
StepCostsFinder step_costs_of_hosts(const CollectiveOptions& options) {
  return [options](std::span<const Rank> receivers, MessageKind) -> StepCostsBySize {
    const auto host_of = [&](Rank rank) { return rank / options.workers_per_host; };
    std::map<int, int> senders;  // by host: workers that send to other hosts
    for (std::size_t i = 0; i < receivers.size(); ++i)
      if (receivers[i] >= 0 && host_of(receivers[i]) != host_of(static_cast<Rank>(i)))
        ++senders[host_of(static_cast<Rank>(i))];
    StepMessages messages;
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      if (receivers[i] < 0) continue;
      const int host = host_of(static_cast<Rank>(i));
      LinearCosts costs = inside_costs(options);
      if (host_of(receivers[i]) != host) {
        costs = options.costs;
        costs.s_per_byte *= std::max(1.0, senders[host] / options.interfaces_per_host);
      }
      messages.add(costs);
    }
    return [eager = messages.costs(), options](double bytes) {
      if (bytes <= options.eager_bytes) return eager;
      LinearCosts waiting = eager.slowest;
      waiting.start_up_s += options.handshake_s;
      return StepCosts{.mean = waiting, .slowest = waiting};
    };
  };
}

/// Calls ask() with the formulas of `kind` (of all kinds if it is `automatic`) and returns its result.
template <typename Ask>
auto by_formulas(CollectiveKind kind, int ranks, std::int64_t count, const CollectiveOptions& options,
                 Ask ask, AllreduceFormulas::Part part = AllreduceFormulas::Part::all) {
  const std::shared_ptr<const CollectiveSteps> steps = steps_of(kind, ranks, options);
  return ask(AllreduceFormulas(ranks, count, options, *steps, part));
}

double predicted_part_s(CollectiveKind kind, int ranks, std::int64_t count, const CollectiveOptions& options,
                        AllreduceFormulas::Part part) {
  check_size(ranks, count, options);
  if (kind != CollectiveKind::automatic)
    make_allreduce(kind, ranks, count, options);  // throws where there is none
  const auto seconds = [kind](const AllreduceFormulas& formulas) { return formulas.seconds(kind); };
  return by_formulas(kind, ranks, count, options, seconds, part);
}

/// `ring` or `halving_doubling`: the kind of a reduce-scatter or all-gather.
CollectiveKind half_kind(CollectiveKind kind, int ranks, std::int64_t count,
                         const CollectiveOptions& options) {
  if (std::ranges::find(kinds_with_halves, kind) == kinds_with_halves.end()) {
    reject("{} has no reduce-scatter and all-gather; it must be one of {}", name_of(kind),
           fmt::join(half_collective_names(), ", "));
  }
  if (kind != CollectiveKind::automatic) return kind;
  if (!is_power_of_two(ranks)) return CollectiveKind::ring;
  return by_formulas(kind, ranks, count, options, [](const AllreduceFormulas& formulas) {
    const bool is_ring_slower =
        formulas.seconds(CollectiveKind::halving_doubling) < formulas.seconds(CollectiveKind::ring);
    return is_ring_slower ? CollectiveKind::halving_doubling : CollectiveKind::ring;
  });
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
  return predicted_part_s(kind, ranks, count, options, AllreduceFormulas::Part::all);
}

double predicted_start_up_s(CollectiveKind kind, int ranks, std::int64_t count,
                            const CollectiveOptions& options) {
  return predicted_part_s(kind, ranks, count, options, AllreduceFormulas::Part::start_ups);
}

std::shared_ptr<const CollectiveSteps> steps_of(CollectiveKind kind, int ranks,
                                                const CollectiveOptions& options) {
  if (options.steps) return options.steps;
  const StepCostsFinder find = options.step_costs ? options.step_costs : step_costs_of_hosts(options);
  return std::make_shared<CollectiveSteps>(collective_steps(kind, ranks, options.workers_per_host, find));
}

std::unique_ptr<Schedule> make_allreduce(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options) {
  check_size(ranks, count, options);
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
  const auto cheapest = [](const AllreduceFormulas& formulas) { return formulas.cheapest(); };
  return make_allreduce(by_formulas(kind, ranks, count, options, cheapest), ranks, count, options);
}

std::unique_ptr<Schedule> make_reduce_scatter(CollectiveKind kind, int ranks, std::int64_t count,
                                              const CollectiveOptions& options) {
  check_size(ranks, count, options);
  if (half_kind(kind, ranks, count, options) == CollectiveKind::ring) {
    return std::make_unique<RingSchedule>(RingSchedule::Phase::reduce_scatter, ranks, count);
  }
  return std::make_unique<RecursiveHalvingSchedule>(RecursiveHalvingSchedule::Phase::reduce_scatter, ranks,
                                                    count);
}

std::unique_ptr<Schedule> make_allgather(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options) {
  check_size(ranks, count, options);
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
