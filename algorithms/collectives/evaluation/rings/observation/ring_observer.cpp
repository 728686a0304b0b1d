#include "algorithms/collectives/evaluation/rings/observation/ring_observer.hpp"

#include <memory>
#include <utility>

namespace starling {

RingObserver::RingObserver(const RingEvaluator& rings, LinkWatch* links, CausalLog* causes)
    : rings_(rings),
      links_(links),
      causes_(causes),
      activities_(rings.hops().size()),
      steps_(2 * rings.hops().size()) {
  if (links != nullptr) traffic_.emplace(rings, *links);
  if (causes != nullptr) explained_.emplace(rings);
}

void RingObserver::come(Worker& worker) {
  const auto rank = static_cast<std::size_t>(worker.rank());
  if (causes_ != nullptr) steps_[workers() + rank] = causes_->current(worker.now());
  if (come_++ == 0) first_came_s_ = worker.now();
  if (links_ == nullptr) return;
  activities_[rank] = links_->workers().activity(worker.rank());
  // While workers have still to leave the last collective, the history is already kept for that one.
  if (come_ == 1 && left_ == 0) links_->workers().keep_history_since(worker.now());
}

void RingObserver::evaluated(bool is_exact_ring) {
  come_ = 0;
  has_ring_ = is_exact_ring;
  first_outcome_ = 0;
  if (!is_exact_ring) return;
  if (traffic_) traffic_->begin(rings_.last(), activities_);
  if (!explained_) return;
  auto explanation = std::make_unique<RingExplanation>(*explained_, rings_.last(), steps_);
  const std::vector<double> ends_s = explanation->ends_s();
  first_outcome_ = causes_->add_outcomes(ends_s, std::move(explanation));
  if (first_outcome_ == 0) return;
  for (std::size_t rank = 0; rank < workers(); ++rank) steps_[rank] = first_outcome_ + rank;
}

/// Once the last worker has left, the activities of all workers during the ring are known.
void RingObserver::leave() {
  if (++left_ < workers()) return;
  left_ = 0;
  if (!traffic_) return;
  if (has_ring_) traffic_->end();
  if (come_ > 0)
    links_->workers().keep_history_since(first_came_s_);
  else
    links_->workers().forget_history();
}

}  // namespace starling
