#include "sim/agenda/causal_log.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace starling {

CausalLog::CausalLog(std::size_t steps) : most_chunks_(std::max<std::size_t>(2, steps / chunk_steps)) {
  add_chunk();
}

/// Adds a chunk; returns false if the limit is reached. A step whose number ends in 32 zero bits is used by
/// no action, as these bits say that an action has no step: the first step, which ended at time 0, and one
/// in 2³² after it.
bool CausalLog::add_chunk() {
  is_full_ = is_full_ || chunks_.size() == most_chunks_;
  if (is_full_) return false;
  if (spare_.empty()) spare_.push_back(std::make_unique<Chunk>());
  if (!chunks_.empty()) chunks_.back()->latest_s = std::exchange(latest_s_, 0);
  chunks_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  place_ = chunks_.back()->steps.data();
  end_of_chunk_ = place_ + chunk_steps;
  if (static_cast<std::uint32_t>(next_) == 0) add(0, next_, Blame{});
  return true;
}

CausalLog::Index CausalLog::add_with_latency(double end_s, Index cause, const Blame& blame) {
  const double since_s = knows(cause) ? this->end_s(cause) : -std::numeric_limits<double>::infinity();
  const double latency_since_s = end_s - blame.latency_s;
  if (latency_since_s > since_s) cause = add(latency_since_s, cause, pack(blame.on, blame.who));
  return add(end_s, cause, pack(SpentOn::latency, 0));
}

/// Most often the blame is the one that was packed last for the same rank or link.
CausalLog::PackedBlame CausalLog::pack(const Blame& blame) {
  if (blame.latency_s <= 0) return pack(blame.on, blame.who);
  const auto who = static_cast<std::size_t>(blame.who);
  if (who >= last_in_table_.size()) last_in_table_.resize(who + 1);
  std::uint32_t& number = last_in_table_[who];
  if (table_[number] != blame) number = number_in_table(blame);
  return PackedBlame{number << (more_bits + on_bits) | in_table};
}

std::uint32_t CausalLog::number_in_table(const Blame& blame) {
  const auto [place, is_new] = in_table_.try_emplace({blame.on, blame.who, blame.latency_s},
                                                     static_cast<std::uint32_t>(table_.size()));
  if (is_new) table_.push_back(blame);
  return place->second;
}

/// Adds a step of unknown blame for the time between the end of the current step and now. Rarely needed.
[[gnu::noinline]] void CausalLog::find_current(double now_s) {
  if (!knows(current_) || end_s(current_) < now_s) current_ = add(now_s, current_, Blame{});
  current_s_ = now_s;
}

void CausalLog::because(double now_s, double time_s, TimedAction& action, Blame blame, Turn* turn) {
  if (turn == nullptr) return ends(action, add(time_s, current(now_s), blame));
  const Index last = turn->end_s > now_s ? turn->step : current(now_s);
  turn->end_s = time_s - blame.latency_s;
  turn->step = add(turn->end_s, last, pack(blame.on, blame.who));
  ends(action, blame.latency_s > 0 ? add(time_s, turn->step, pack(SpentOn::latency, 0)) : turn->step);
}

/// Adds a latency to the latest blame. Does nothing if that is latency already. Returns false if the blame
/// has no entry in table_ or the table of additional latencies is full.
bool CausalLog::add_latency(PackedBlame& blame, double latency_s) {
  if (blame == pack(SpentOn::latency, 0)) return true;
  const auto packed = static_cast<std::uint32_t>(blame);
  if ((packed & in_table) != in_table || (packed >> on_bits & most_more) != 0) return false;
  std::uint32_t more = 1;
  while (more < known_more_ && more_latency_s_[more] != latency_s) ++more;
  if (more > most_more) return false;
  if (more == known_more_) more_latency_s_[known_more_++] = latency_s;
  blame = PackedBlame{packed | more << on_bits};
  return true;
}

void CausalLog::because_of_latency(double now_s, double time_s, TimedAction& action, double latency_s) {
  PackedBlame blame = to_add_.blame;
  if (!is_added_ && current_s_ == now_s && add_latency(blame, latency_s))
    ends(action, add(time_s, to_add_.cause, blame));
  else
    ends(action, add(time_s, current(now_s), pack(SpentOn::latency, 0)));
}

void CausalLog::blame_last(TimedAction& action, double last_s, const Blame& blame) {
  if (is_full_) return;
  std::uint32_t& ended_step = *action.ended_step();
  const Index step = step_of(ended_step);
  PackedStep& recorded = at(step);
  const double end_s = std::exchange(recorded.end_s, recorded.end_s - last_s);
  ended_step = 0;
  ends(action, add(end_s, step, pack(blame.on, blame.who)));
}

void CausalLog::blame_transmission_on(std::int32_t link, double now_s) {
  const Index current = this->current(now_s);
  if (!knows(current) || is_outcome(current)) return;
  const Step ended = step(current);
  if (ended.end_s == now_s && ended.blame.on == SpentOn::link)
    happen_now(now_s, ended.cause, pack({SpentOn::link, link, ended.blame.latency_s}));
}

void CausalLog::ends(TimedAction& action, Index step) {
  std::uint32_t* const ended_step = action.ended_step();
  STARLING_INVARIANT(ended_step != nullptr && *ended_step == 0);
  *ended_step = static_cast<std::uint32_t>(step);
}

CausalLog::Index CausalLog::add_outcomes(std::span<const double> end_s,
                                         std::unique_ptr<Explanation> explanation) {
  // One in 2³² numbers is used by no action, so the consecutive numbers returned here must not contain it.
  const auto would_contain_it = [&] {
    return static_cast<std::uint32_t>(next_) == 0 || next_ >> 32 != (next_ + end_s.size()) >> 32;
  };
  while (would_contain_it() && !is_full_) add(0, next_ - 1, Blame{});
  const Index first = next_;
  for (const double each_s : end_s) add(each_s, next_ - 1, outcome_blame);
  if (is_full_) return 0;
  outcomes_.push_back({first, std::move(explanation)});
  return first;
}

const CausalLog::Outcomes& CausalLog::outcomes_of(Index step) const {
  const auto after = std::ranges::upper_bound(outcomes_, step, {}, &Outcomes::first);
  return *(after - 1);
}

std::int32_t CausalLog::last_at_work(Index step, double since_s, std::int32_t but) const {
  constexpr std::int32_t nobody = -1;
  while (!is_full_ && knows(step) && !is_outcome(step) && end_s(step) > since_s) {
    const Step last = this->step(step);
    const bool is_work = last.blame.on == SpentOn::compute || last.blame.on == SpentOn::delay;
    if (is_work && last.blame.who != but) return last.blame.who;
    step = last.cause;
  }
  return nobody;
}

void CausalLog::forget_until(double time_s) {
  auto kept = chunks_.begin();
  while (kept + 1 < chunks_.end() && (*kept)->latest_s <= time_s) spare_.push_back(std::move(*kept++));
  first_ += static_cast<Index>(kept - chunks_.begin()) * chunk_steps;
  chunks_.erase(chunks_.begin(), kept);
  while (outcomes_.size() > 1 && outcomes_[1].first <= first_) outcomes_.pop_front();
}

}  // namespace starling
