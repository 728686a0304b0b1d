#include "algorithms/collectives/evaluation/evaluated_collectives.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {

EvaluatedCollectives::EvaluatedCollectives(const Routes& routes, const MessageCosts& costs,
                                           const SmallMessageRules& rules, CollectivesByMessages by_messages,
                                           std::size_t gives_up_after)
    : evaluator_(routes, costs, rules),
      by_messages_(std::move(by_messages)),
      gives_up_after_(gives_up_after),
      next_number_(static_cast<std::size_t>(routes.workers()), 0),
      begin_s_(next_number_.size()),
      done_(next_number_.size()) {}

void EvaluatedCollectives::report_to(LinkWatch* links, CausalLog* causes) {
  STARLING_INVARIANT(!evaluator_.network().rules().take_links);
  is_observed_ = true;
  if (const RingEvaluator* const rings = evaluator_.ring_evaluator())
    observer_.emplace(*rings, links, causes);
}

/// If rings are observed, the first worker that enters a collective decides for all workers: every collective
/// that is not an evaluable ring goes message by message.
bool EvaluatedCollectives::goes_by_messages(std::int64_t number, const Schedule& schedule,
                                            double bytes_per_element) {
  const bool is_first = number == first_to_come_;
  if (is_first) ++first_to_come_;
  if (is_first && is_observed_ && evaluator_.ring_evaluator(schedule, bytes_per_element) == nullptr)
    by_messages_.insert(number);
  return by_messages_.contains(number);
}

void EvaluatedCollectives::run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) {
  STARLING_INVARIANT(buffer.count() == schedule.count());
  const auto rank = static_cast<std::size_t>(worker.rank());
  const std::int64_t number = next_number_[rank]++;
  if (goes_by_messages(number, schedule, buffer.bytes_per_element()))
    return run_messages(worker, schedule, buffer, tag);
  STARLING_INVARIANT(!buffer.is_real());
  begin_s_[rank] = worker.now();
  if (observer_) observer_->come(worker);
  if (!done_[rank]) done_[rank].emplace(worker, "all workers to come to a collective");
  if (++waiting_ < schedule.ranks()) {
    done_[rank]->wait();
  } else {
    waiting_ = 0;
    evaluate(schedule, buffer.bytes_per_element(), number);
    for (std::size_t other = 0; other < end_s_.size(); ++other)
      if (other != rank) done_[other]->let_go_at(std::max(end_s_[other], worker.now()), step_of_end(other));
    done_[rank]->wait_until(end_s_[rank], step_of_end(rank));
  }
  if (observer_) observer_->leave();
}

void EvaluatedCollectives::run_messages(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) {
  // Evaluations do not account for these messages, nor the other way round, so the two must not overlap in
  // time.
  if (is_under_way(worker.now())) reject_chain();
  if (is_order_decisive(schedule)) reject_all_so_far();
  run_schedule(worker, schedule, buffer, tag);
  messages_end_s_ = std::max(messages_end_s_, worker.now());
}

void EvaluatedCollectives::evaluate(const Schedule& schedule, double bytes_per_element, std::int64_t number) {
  std::optional<Evaluation> found = evaluator_.evaluate(schedule, begin_s_, bytes_per_element);
  const double first_begin_s = *std::ranges::min_element(begin_s_);
  const bool is_alone = first_begin_s >= messages_end_s_ * (1 - rounding_of_moments);
  if (!found) {
    const int ranks = schedule.ranks();
    found = Evaluation{
        .end_s = begin_s_,
        .is_exact = false,
        .messages = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(schedule.rounds(0))};
  }
  // A rank that completes before the last one has entered, as with fewer chunks than ranks, should have
  // continued before now.
  const bool is_after_all = *std::ranges::min_element(found->end_s) >= *std::ranges::max_element(begin_s_);
  const bool is_exact = found->is_exact && is_alone && is_after_all;
  if (!is_exact && is_order_decisive(schedule)) reject_all_so_far();
  if (!is_under_way(first_begin_s)) {
    chain_first_ = number;
    chain_messages_ = 0;
  }
  if (observer_) observer_->evaluated(is_exact);
  end_s_ = std::move(found->end_s);
  evaluated_end_s_ = std::max(evaluated_end_s_, *std::ranges::max_element(end_s_));
  last_evaluated_ = number;
  chain_messages_ += found->messages;
  if (!is_exact) {
    reject_chain();
    messages_end_s_ = evaluated_end_s_;
  }
  evaluated_.messages += found->messages;
  evaluated_.rendezvous_messages += found->rendezvous_messages;
  evaluated_.bytes += found->bytes;
  const bool is_mostly_exact = 2 * messages_to_send_ <= evaluated_.messages;
  if (++evaluated_so_far_ >= gives_up_after_ && !is_mostly_exact) throw TooLittleIsExact();
}

/// Whether an evaluated collective is still in progress at `time_s`, up to rounding.
bool EvaluatedCollectives::is_under_way(double time_s) const {
  return time_s < evaluated_end_s_ * (1 - rounding_of_moments);
}

/// Marks the evaluated collectives from `first` on as to be sent message by message, and advances `first`
/// past them.
void EvaluatedCollectives::reject_from(std::int64_t& first) {
  for (; first <= last_evaluated_; ++first) {
    is_exact_ = false;
    by_messages_.insert(first);
  }
}

/// Rejects the current chain: each of its collectives overlaps messages of the next one.
void EvaluatedCollectives::reject_chain() {
  reject_from(chain_first_);
  messages_to_send_ += std::exchange(chain_messages_, 0);
}

/// Whether the times of the schedule depend on the order in which workers continue from the previous
/// collective, which only its messages show: links serve messages of the same moment in the order in which
/// they were sent, and messages of this schedule may meet.
bool EvaluatedCollectives::is_order_decisive(const Schedule& schedule) const {
  return evaluator_.network().rules().take_links && evaluator_.may_meet(schedule);
}

void EvaluatedCollectives::reject_all_so_far() {
  reject_from(first_accepted_);
  messages_to_send_ = evaluated_.messages;
  chain_messages_ = 0;
}

void EvaluatedCollectives::add_to(RunStatistics& statistics) const {
  statistics.messages += evaluated_.messages;
  statistics.evaluated_messages += evaluated_.messages;
  statistics.rendezvous_messages += evaluated_.rendezvous_messages;
  statistics.bytes += evaluated_.bytes;
}

}  // namespace starling
