#include "sim/causes.hpp"

#include <algorithm>
#include <utility>

namespace starling {

Causes::Causes(std::size_t most_steps) : most_chunks_(std::max<std::size_t>(2, most_steps / chunk_steps)) {
  add(0, 0, {});
}

void Causes::add_chunk() {
  is_full_ = is_full_ || chunks_.size() == most_chunks_;
  if (is_full_) return;
  if (spare_.empty()) spare_.push_back(std::make_unique<Chunk>());
  if (!chunks_.empty()) chunks_.back()->latest_s = std::exchange(latest_s_, 0);
  chunks_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  place_ = chunks_.back()->steps.data();
  end_of_chunk_ = place_ + chunk_steps;
}

/// Of what happened between the end of the current step and now, nobody knows why.
void Causes::find_current(double now_s) {
  if (!knows(current_) || step(current_).end_s < now_s) current_ = add(now_s, current_, {});
  current_s_ = now_s;
}

TimedAction& Causes::because(double now_s, double time_s, TimedAction& action, Blame blame, Index* turn) {
  const bool waits_its_turn = turn != nullptr && knows(*turn) && step(*turn).end_s > now_s;
  Index last = waits_its_turn ? *turn : current(now_s);
  if (turn != nullptr) {
    last = *turn = add(time_s - blame.latency_s, last, {blame.on, blame.who});
    if (blame.latency_s > 0) last = add(time_s, last, {SpentOn::latency, 0, 0});
  } else {
    last = add(time_s, last, blame);
  }
  Caused& caused = unused_ ? *std::exchange(unused_, unused_->next_unused) : actions_.emplace_back();
  caused.causes = this;
  caused.action = &action;
  caused.step = last;
  caused.end_s = time_s;
  return caused;
}

void Causes::Caused::happen() {
  causes->set_current(step, end_s);
  TimedAction& happens = *action;
  next_unused = std::exchange(causes->unused_, this);
  happens.happen();
}

void Causes::forget_until(double time_s) {
  while (chunks_.size() > 1 && chunks_.front()->latest_s <= time_s) {
    spare_.push_back(std::move(chunks_.front()));
    chunks_.pop_front();
    first_ += chunk_steps;
  }
}

}  // namespace starling
