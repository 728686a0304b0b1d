#include "algorithms/collectives/evaluation/evaluated_rings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace starling {

std::unique_ptr<EvaluatedRings> EvaluatedRings::make(std::span<const Schedule* const> schedules,
                                                     double bytes_per_element, const Routes& routes,
                                                     const MessageCosts& costs) {
  if (std::isfinite(costs.send_buffer_bytes) || costs.wake_up_s > 0) return nullptr;
  std::optional<RingEvaluator> evaluator = RingEvaluator::make(routes, costs);
  if (!evaluator) return nullptr;
  const auto is_possible = [&](const Schedule* schedule) {
    const auto* ring = dynamic_cast<const RingSchedule*>(schedule);
    if (!ring || ring->ranks() != routes.workers() || !evaluator->can_follow(*ring, bytes_per_element))
      return false;
    const std::int64_t largest_chunk = EvenPartition(ring->count(), ring->ranks()).chunk(0).count;
    return static_cast<double>(largest_chunk) * bytes_per_element <= costs.eager_threshold_bytes;
  };
  if (schedules.empty() || !std::ranges::all_of(schedules, is_possible)) return nullptr;
  return std::unique_ptr<EvaluatedRings>(new EvaluatedRings(std::move(*evaluator), routes.workers()));
}

EvaluatedRings::EvaluatedRings(RingEvaluator evaluator, int workers)
    : evaluator_(std::move(evaluator)), begin_s_(static_cast<std::size_t>(workers)) {}

void EvaluatedRings::run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag) {
  STARLING_INVARIANT(!buffer.is_real() && buffer.count() == schedule.count());
  const auto rank = static_cast<std::size_t>(worker.rank());
  Event everyone(worker, "all workers to come to a ring");
  begin_s_[rank] = worker.now();
  waiting_.push_back(&everyone);
  if (waiting_.size() == begin_s_.size()) {
    const auto* ring = dynamic_cast<const RingSchedule*>(&schedule);
    STARLING_INVARIANT(ring);
    evaluate(*ring, buffer.bytes_per_element());
    for (Event* event : std::exchange(waiting_, {})) event->set();
  }
  everyone.wait();
  worker.sleep_until(end_s_[rank]);
}

void EvaluatedRings::evaluate(const RingSchedule& schedule, double bytes_per_element) {
  Evaluation evaluation = evaluator_.evaluate(schedule, begin_s_, bytes_per_element);
  end_s_ = std::move(evaluation.end_s);
  is_exact_ = is_exact_ && evaluation.is_exact;
  messages_ += evaluation.messages;
  bytes_ += schedule.rounds(0) * static_cast<double>(schedule.count()) * bytes_per_element;
}

void EvaluatedRings::add_to(RunStatistics& statistics) const {
  STARLING_INVARIANT(statistics.messages == 0);
  statistics.messages = messages_;
  statistics.bytes = bytes_;
}

}  // namespace starling
