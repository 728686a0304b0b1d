#pragma once

#include <optional>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/ring_explanation.hpp"
#include "algorithms/collectives/evaluation/rings/observation/ring_traffic.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "sim/activity.hpp"
#include "sim/agenda/causal_log.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Reports what links carry for evaluated rings, and why these rings take as long as they do, as if their
/// messages had been sent. Small messages must not take links (SmallMessageRules::take_links).
class RingObserver {
 public:
  /// All must outlive this object; `links` and `causes` may be null.
  RingObserver(const RingEvaluator& rings, LinkWatch* links, CausalLog* causes);
  RingObserver(const RingObserver&) = delete;
  RingObserver& operator=(const RingObserver&) = delete;

  /// A worker has entered the next collective. Call for each worker.
  void come(Worker& worker);
  /// The collective that all workers have entered has been evaluated. It is reported only if it is a ring and
  /// exact.
  void evaluated(bool is_exact_ring);
  /// A worker continues after the last collective. Call for each worker.
  void leave();

  /// The step of the CausalLog that ends when the worker may continue; 0 if there is none.
  CausalLog::Index step_of_end(std::size_t rank) const {
    return first_outcome_ == 0 ? 0 : first_outcome_ + workers() + rank;
  }

 private:
  std::size_t workers() const { return activities_.size(); }

  const RingEvaluator& rings_;
  LinkWatch* links_;
  CausalLog* causes_;
  std::optional<ExplainedRings> explained_;
  std::optional<RingTraffic> traffic_;
  std::vector<Activity> activities_;     // by worker: its activity when it entered the collective
  std::vector<CausalLog::Index> steps_;  // see RingExplanation's `begins`
  CausalLog::Index first_outcome_ = 0;   // first of the steps with which the last ring ends; 0: none
  bool has_ring_ = false;
  std::size_t come_ = 0;     // workers that have entered the next collective
  double first_came_s_ = 0;  // when the first of them did
  std::size_t left_ = 0;     // workers that have left the last collective; 0 once all have
};

}  // namespace starling
