#pragma once

#include <functional>
#include <span>
#include <vector>

#include "algorithms/collectives/collective_kind.hpp"
#include "algorithms/collectives/cost.hpp"
#include "base/types.hpp"
#include "sim/exchange.hpp"

namespace starling {

/// Messages of a step, as they are added to it.
class StepMessages {
 public:
  void add(const StepCosts& of_each, int messages);
  void add(const LinearCosts& message) { add({.mean = message, .slowest = message}, 1); }

  int messages() const { return messages_; }
  const StepCosts& costs() const { return costs_; }

 private:
  int messages_ = 0;
  StepCosts costs_;
};

/// What messages that are sent at once cost if each has so many bytes.
using StepCostsBySize = std::function<StepCosts(double bytes)>;

/// Finds that of a message from each rank to receivers[rank]; where this is −1, the rank sends none.
using StepCostsFinder = std::function<StepCostsBySize(std::span<const Rank> receivers, MessageKind kind)>;

/// What the messages of all-reduces cost, step by step; empty where a kind has no such step, and of kinds
/// that nobody asked for.
struct CollectiveSteps {
  StepCostsBySize ring = {};
  /// Of the rings of hierarchical: inside all hosts, and between them, through the ranks of the same place.
  StepCostsBySize inside_hosts = {};
  StepCostsBySize between_hosts = {};
  /// Of recursive doubling and halving-doubling: entry k, of core ranks whose numbers differ in bit k.
  StepCostsBySize fold_before = {};
  StepCostsBySize fold_after = {};
  std::vector<StepCostsBySize> exchanges = {};
  /// Of the double tree: along all edges of a color, up or down.
  std::vector<StepCostsBySize> edges = {};
};

/// What the steps of a kind cost, of `automatic` those of all kinds. Finds O(log P) steps at most.
CollectiveSteps collective_steps(CollectiveKind kind, int ranks, int workers_per_host,
                                 const StepCostsFinder& find);

/// Finds what messages of `members` cost, out of `workers`, by what is known of all. Member i is rank i.
StepCostsFinder step_costs_among(std::span<const Rank> members, int workers, StepCostsFinder of_all);

}  // namespace starling
