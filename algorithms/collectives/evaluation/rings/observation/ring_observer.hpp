#pragma once

#include <optional>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/ring_explanation.hpp"
#include "algorithms/collectives/evaluation/rings/observation/ring_traffic.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "sim/activity.hpp"
#include "sim/agenda/causes.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Tells what links carry of evaluated rings, and why these take what they take, as if their messages had
/// been sent. Only where small messages take no links.
class RingObserver {
 public:
  /// All must outlive this object; `links` and `causes` may be null.
  RingObserver(const RingEvaluator& rings, LinkWatch* links, Causes* causes);
  RingObserver(const RingObserver&) = delete;
  RingObserver& operator=(const RingObserver&) = delete;

  /// A worker has come to the next collective.
  void come(Worker& worker);
  /// All workers have come, and the collective was evaluated. Only if it is a ring, and exact, there is
  /// anything to tell.
  void evaluated(bool is_exact_ring);
  /// A worker goes on after the last collective.
  void leave();

  /// The step that ends when the worker may go on, where Causes know it; else 0.
  Causes::Index step_of_end(std::size_t rank) const {
    return first_outcome_ == 0 ? 0 : first_outcome_ + workers() + rank;
  }

 private:
  std::size_t workers() const { return activities_.size(); }

  const RingEvaluator& rings_;
  LinkWatch* links_;
  Causes* causes_;
  std::optional<ExplainedRings> explained_;
  std::optional<RingTraffic> traffic_;
  std::vector<Activity> activities_;  // of each worker when it came,
  std::vector<Causes::Index> steps_;  // that let what it sent last flow; and those that let it come
  Causes::Index first_outcome_ = 0;   // of the steps that the last ring ends with, if they are known
  bool has_ring_ = false;
  std::size_t come_ = 0;  // workers, to the next collective,
  double first_came_s_ = 0;
  std::size_t left_ = 0;  // and from the last one, if not all
};

}  // namespace starling
