#pragma once

#include <functional>
#include <span>
#include <vector>

#include "algorithms/collectives/collective_kind.hpp"
#include "algorithms/collectives/cost.hpp"
#include "base/types.hpp"
#include "sim/exchange.hpp"

namespace starling {

/// Accumulates the mean and the greatest cost of the messages of a step.
class StepMessages {
 public:
  /// Adds `messages` messages whose mean and greatest costs are `of_each`.
  void add(const StepCosts& of_each, int messages);
  void add(const LinearCosts& message) { add({.mean = message, .slowest = message}, 1); }

  int messages() const { return messages_; }
  const StepCosts& costs() const { return costs_; }

 private:
  int messages_ = 0;
  StepCosts costs_;
};

/// The costs of the messages of a step, all sent at the same time, if each has `bytes` bytes.
using StepCostsBySize = std::function<StepCosts(double bytes)>;

/// Finds the costs of a step in which each rank sends a message to receivers[rank], or none if that is −1.
using StepCostsFinder = std::function<StepCostsBySize(std::span<const Rank> receivers, MessageKind kind)>;

/// The costs of the steps of all-reduces. Empty functions and vectors stand for steps that do not occur, or
/// that belong to kinds that were not requested.
struct CollectiveSteps {
  StepCostsBySize ring = {};
  /// Rings of `hierarchical`: inside all hosts, and between hosts among workers with the same place in them.
  StepCostsBySize inside_hosts = {};
  StepCostsBySize between_hosts = {};
  /// Recursive doubling and halving-doubling: the fold's two rounds, and in exchanges[k] the exchanges of
  /// core ranks whose core numbers differ in bit k.
  StepCostsBySize fold_before = {};
  StepCostsBySize fold_after = {};
  std::vector<StepCostsBySize> exchanges = {};
  /// Double tree: all edges of a color, up or down, where there are any.
  std::vector<StepCostsBySize> edges = {};
};

/// The costs of the steps of `kind`; of all kinds if it is `automatic`. Calls `find` O(log P) times.
CollectiveSteps collective_steps(CollectiveKind kind, int ranks, int workers_per_host,
                                 const StepCostsFinder& find);

/// A finder for a collective of `members` only, by `of_all`, the finder for all `workers` ranks: rank i of
/// the collective is members[i]. Its messages count as MessageKind::data.
StepCostsFinder step_costs_among(std::span<const Rank> members, int workers, StepCostsFinder of_all);

}  // namespace starling
