#pragma once

#include <optional>
#include <span>

#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "algorithms/collectives/evaluation/round_evaluator.hpp"
#include "algorithms/collectives/evaluation/shared/evaluation.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/small_message_rules.hpp"

namespace starling {

/// Computes when the ranks of a world complete their collectives, which follow one another, by the fastest
/// evaluator that supports each schedule.
class CollectiveEvaluator {
 public:
  /// `routes` must outlive this object.
  CollectiveEvaluator(const Routes& routes, const MessageCosts& costs, const SmallMessageRules& rules);
  CollectiveEvaluator(const CollectiveEvaluator&) = delete;
  CollectiveEvaluator& operator=(const CollectiveEvaluator&) = delete;

  /// Evaluates the next collective. `begin_s`: when each rank enters it. Empty if a message of the schedule
  /// is sent in one round and received in another.
  std::optional<Evaluation> evaluate(const Schedule& schedule, std::span<const double> begin_s,
                                     double bytes_per_element);

  /// The evaluator of rings if it supports the schedule, else null.
  RingEvaluator* ring_evaluator(const Schedule& schedule, double bytes_per_element) {
    const auto* ring = dynamic_cast<const RingSchedule*>(&schedule);
    const bool can_follow = ring != nullptr && rings_ && rings_->can_follow(*ring, bytes_per_element);
    return can_follow ? &*rings_ : nullptr;
  }

  /// The evaluator of rings; null if the hops of a ring of all workers share links.
  const RingEvaluator* ring_evaluator() const { return rings_ ? &*rings_ : nullptr; }

  /// Whether messages of the schedule may meet messages of other connections on a link.
  bool may_meet(const Schedule& schedule) const { return !rings_ || !schedule.is_ring(); }

  const FreeRoutes& network() const { return network_; }

 private:
  FreeRoutes network_;
  std::optional<RingEvaluator> rings_;
  RoundEvaluator rounds_;
};

}  // namespace starling
