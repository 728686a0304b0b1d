#include "algorithms/collectives/evaluation/ring_of_runs.hpp"

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

/// But for the rounding of a few sums. What was never is equal to nothing else.
bool are_equal(double one_s, double other_s) {
  constexpr double few_roundings = 4e-15;
  return one_s == other_s ||
         std::abs(one_s - other_s) <= few_roundings * std::min(std::abs(one_s), std::abs(other_s));
}

/// The same, so much later. What was never stays so.
RankState shifted(const RankState& state, double shift_s) {
  return {state.begin_s + shift_s, state.free_s + shift_s, state.start_s + shift_s,
          state.small_gone_s + shift_s};
}
Sent shifted(const Sent& sent, double shift_s) {
  return {sent.launch_s + shift_s, sent.arrival_s + shift_s, sent.complete_s + shift_s};
}

bool are_equal(const RankState& one, const RankState& other) {
  return are_equal(one.begin_s, other.begin_s) && are_equal(one.free_s, other.free_s) &&
         are_equal(one.start_s, other.start_s) && are_equal(one.small_gone_s, other.small_gone_s);
}

/// What was over when the next step begins is over for good.
RankState without_past(RankState state) {
  for (double* time : {&state.free_s, &state.start_s, &state.small_gone_s})
    if (*time <= state.begin_s) *time = FreeRoutes::never_s;
  return state;
}

}  // namespace

void RingOfRuns::append(int position, int length, const RankState& first, const RankState& last) {
  const std::size_t size = rules_.chunks().size_of(position);
  if (!next_runs_.empty() && next_runs_.back().size == size) {
    Run& before = next_runs_.back();
    const double shift_s = before.length == 1 ? first.begin_s - before.last.begin_s : before.shift_s;
    if (are_equal(shifted(before.last, shift_s), first) &&
        (length == 1 || are_equal(shifted(before.last, length * shift_s), last))) {
      before.length += length;
      before.last = last;
      before.shift_s = (last.begin_s - before.first.begin_s) / (before.length - 1);
      return;
    }
  }
  const double shift_s = length == 1 ? 0 : (last.begin_s - first.begin_s) / (length - 1);
  next_runs_.push_back({length, size, first, last, shift_s});
}

bool RingOfRuns::begin(const std::vector<RankState>& ranks, int step) {
  next_runs_.clear();
  for (int chunk = 0; chunk < ranks_ && next_runs_.size() <= most_runs(); ++chunk)
    append(chunk, without_past(ranks[static_cast<std::size_t>((chunk + 1 + step) % ranks_)]));
  runs_.swap(next_runs_);
  return runs_.size() <= most_runs();
}

std::vector<RankState> RingOfRuns::ranks(int step) const {
  std::vector<RankState> ranks(static_cast<std::size_t>(ranks_));
  int chunk = 0;
  for (const Run& run : runs_)
    for (int place = 0; place < run.length; ++place, ++chunk)
      ranks[static_cast<std::size_t>((chunk + 1 + step) % ranks_)] =
          place + 1 == run.length ? run.last : shifted(run.first, place * run.shift_s);
  return ranks;
}

RingOfRuns::Sending RingOfRuns::send(const Run& run, double right_begin_s) {
  Sending sending{run.first, run.last, {}, {}};
  if (!rules_.is_sent(run.size)) return sending;
  const Leg& leg = legs_[run.size];
  sending.last =
      rules_.send(sending.last_state, leg, rules_.launch_s(run.last.begin_s, run.size), right_begin_s);
  sending.first = sending.last;
  if (run.length == 1) {
    sending.first_state = sending.last_state;
  } else {
    const double next_begin_s = run.length == 2 ? run.last.begin_s : run.first.begin_s + run.shift_s;
    sending.first =
        rules_.send(sending.first_state, leg, rules_.launch_s(run.first.begin_s, run.size), next_begin_s);
  }
  return sending;
}

RankState RingOfRuns::next(const RankState& before, const RankState& now, const Run& run, const Sent& sent,
                           std::size_t left_size, double arrival_s) {
  RankState next = now;
  next.begin_s = rules_.end_s(before.begin_s, run.size, sent, left_size, legs_[left_size], arrival_s,
                              reduction_s_per_byte_);
  return without_past(next);
}

/// All of a run but its first, whose place is `position`.
void RingOfRuns::go_on(const Run& run, const Sending& own, int position) {
  if (run.length > 2) {
    const RankState second = next(shifted(run.first, run.shift_s), shifted(own.first_state, run.shift_s), run,
                                  shifted(own.first, run.shift_s), run.size, own.first.arrival_s);
    append(position, run.length - 2, second, shifted(second, (run.length - 3) * run.shift_s));
  }
  if (run.length > 1) {
    const double arrival_s = own.first.arrival_s + (run.length - 2) * run.shift_s;
    append(position + run.length - 2, next(run.last, own.last_state, run, own.last, run.size, arrival_s));
  }
}

bool RingOfRuns::step(double reduction_s_per_byte) {
  reduction_s_per_byte_ = reduction_s_per_byte;
  sendings_.clear();
  for (std::size_t i = 0; i < runs_.size(); ++i)
    sendings_.push_back(send(runs_[i], runs_[i + 1 == runs_.size() ? 0 : i + 1].first.begin_s));
  next_runs_.clear();
  int position = 0;
  RankState wrapped;  // of the one who sends chunk 0, and the last chunk next
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const std::size_t left = i == 0 ? runs_.size() - 1 : i - 1;
    const RankState first = next(run.first, sendings_[i].first_state, run, sendings_[i].first,
                                 runs_[left].size, sendings_[left].last.arrival_s);
    if (i == 0)
      wrapped = first;
    else
      append(position - 1, first);
    go_on(run, sendings_[i], position);
    position += run.length;
  }
  append(ranks_ - 1, wrapped);
  if (next_runs_.size() > most_runs()) return false;
  runs_.swap(next_runs_);
  return true;
}

}  // namespace starling
