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
  chunks_.push_back(std::move(spare_.back()));
  chunks_.back()->latest_s = 0;
  spare_.pop_back();
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
  return caused;
}

void Causes::Caused::happen() {
  causes->current_ = step;
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
