#include "algorithms/collectives/collective_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "algorithms/collectives/schedules/double_tree.hpp"
#include "algorithms/collectives/schedules/fold.hpp"
#include "algorithms/collectives/schedules/recursive_doubling.hpp"

namespace starling {
namespace {

/// The costs of a step in which each rank sends to receiver_of(rank); a rank whose receiver is itself sends
/// nothing. Empty if no rank sends.
template <typename Receiver>
StepCostsBySize step(int ranks, const StepCostsFinder& find, MessageKind kind, Receiver receiver_of) {
  std::vector<Rank> receivers;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank receiver = receiver_of(rank);
    receivers.push_back(receiver == rank ? -1 : receiver);
  }
  const bool is_empty = std::ranges::all_of(receivers, [](Rank receiver) { return receiver < 0; });
  return is_empty ? StepCostsBySize() : find(receivers, kind);
}

void add_exchanges(CollectiveSteps& steps, int ranks, const StepCostsFinder& find) {
  const RecursiveDoublingAllReduce schedule(ranks, 1);
  const auto round = [&](int index) {
    return step(ranks, find, MessageKind::data,
                [&](Rank rank) { return schedule.round(rank, index).send.peer; });
  };
  const Fold fold(ranks);
  const int before = fold.extra_rounds();
  if (before > 0) {
    steps.fold_before = round(0);
    steps.fold_after = round(before + fold.dimensions());
  }
  for (int bit = 0; bit < fold.dimensions(); ++bit) steps.exchanges.push_back(round(before + bit));
}

void add_edges(CollectiveSteps& steps, int ranks, const StepCostsFinder& find) {
  const DoubleTree tree(ranks);
  for (int color = 0; color < 2; ++color)
    for (const bool goes_up : {true, false}) {
      auto edges = step(ranks, find, MessageKind::data, [&](Rank rank) {
        return (goes_up ? tree.up(rank, color) : tree.down(rank, color)).peer;
      });
      if (edges) steps.edges.push_back(std::move(edges));
    }
}

}  // namespace

void StepMessages::add(const StepCosts& of_each, int messages) {
  messages_ += messages;
  // Updated so that the mean of equal values has no rounding error.
  const auto add_to_mean = [&](double& mean, double of_these) {
    mean += messages * (of_these - mean) / messages_;
  };
  add_to_mean(costs_.mean.start_up_s, of_each.mean.start_up_s);
  add_to_mean(costs_.mean.s_per_byte, of_each.mean.s_per_byte);
  add_to_mean(costs_.mean.reduction_s_per_byte, of_each.mean.reduction_s_per_byte);
  LinearCosts& slowest = costs_.slowest;
  slowest.start_up_s = std::max(slowest.start_up_s, of_each.slowest.start_up_s);
  slowest.s_per_byte = std::max(slowest.s_per_byte, of_each.slowest.s_per_byte);
  slowest.reduction_s_per_byte = std::max(slowest.reduction_s_per_byte, of_each.slowest.reduction_s_per_byte);
}

CollectiveSteps collective_steps(CollectiveKind kind, int ranks, int workers_per_host,
                                 const StepCostsFinder& find) {
  CollectiveSteps steps;
  const auto is_asked_for = [kind](CollectiveKind asked) {
    return kind == asked || kind == CollectiveKind::automatic;
  };
  if (is_asked_for(CollectiveKind::ring))
    steps.ring =
        step(ranks, find, MessageKind::ring, [ranks](Rank rank) { return rank + 1 < ranks ? rank + 1 : 0; });
  if (is_asked_for(CollectiveKind::recursive_doubling) || kind == CollectiveKind::halving_doubling)
    add_exchanges(steps, ranks, find);
  if (is_asked_for(CollectiveKind::double_tree)) add_edges(steps, ranks, find);
  if (is_asked_for(CollectiveKind::hierarchical) && ranks % workers_per_host == 0) {
    steps.inside_hosts = step(ranks, find, MessageKind::data, [=](Rank rank) {
      return (rank + 1) % workers_per_host > 0 ? rank + 1 : rank + 1 - workers_per_host;
    });
    steps.between_hosts =
        step(ranks, find, MessageKind::data, [=](Rank rank) { return (rank + workers_per_host) % ranks; });
  }
  return steps;
}

StepCostsFinder step_costs_among(std::span<const Rank> members, int workers, StepCostsFinder of_all) {
  return [members = std::vector<Rank>(members.begin(), members.end()), workers, of_all = std::move(of_all)](
             std::span<const Rank> receivers, MessageKind) {
    std::vector<Rank> receivers_of_all(static_cast<std::size_t>(workers), -1);
    for (std::size_t i = 0; i < receivers.size(); ++i)
      if (receivers[i] >= 0)
        receivers_of_all[static_cast<std::size_t>(members[i])] =
            members[static_cast<std::size_t>(receivers[i])];
    return of_all(receivers_of_all, MessageKind::data);
  };
}

}  // namespace starling
