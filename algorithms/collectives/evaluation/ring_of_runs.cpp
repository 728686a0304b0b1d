#include "algorithms/collectives/evaluation/ring_of_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace starling {
namespace {

constexpr double few_roundings = 4e-15;
/// So many steps tell how far one goes, but for a small part of their rounding.
constexpr int steps_of_stride = 64;

/// But for the rounding of a few sums. What was never is equal to nothing else.
bool are_equal(double one_s, double other_s) {
  return one_s == other_s ||
         std::abs(one_s - other_s) <= few_roundings * std::min(std::abs(one_s), std::abs(other_s));
}

/// The same, so much later. What was never stays so.
RankState shifted(const RankState& state, double shift_s) {
  return {state.begin_s + shift_s, state.free_s + shift_s, state.start_s + shift_s,
          state.small_gone_s + shift_s};
}
Sent shifted(const Sent& sent, double shift_s) {
  return {sent.launch_s + shift_s, sent.ready_s + shift_s, sent.arrival_s + shift_s,
          sent.complete_s + shift_s};
}

bool are_equal(const RankState& one, const RankState& other) {
  return are_equal(one.begin_s, other.begin_s) && are_equal(one.free_s, other.free_s) &&
         are_equal(one.start_s, other.start_s) && are_equal(one.small_gone_s, other.small_gone_s);
}

constexpr std::array times = {&RankState::begin_s, &RankState::free_s, &RankState::start_s,
                              &RankState::small_gone_s};

/// What was never stays so.
double advance_s(const RankState& before, const RankState& now, double RankState::*time) {
  return before.*time == now.*time ? 0 : now.*time - before.*time;
}

RankState far_on_of(const RankState& before, const RankState& now, int strides) {
  RankState there = now;
  for (const auto time : times) there.*time += strides * advance_s(before, now, time);
  return there;
}

bool is_as_far_of(const RankState& before, const RankState& now, const RankState& other_before,
                  const RankState& other) {
  return std::ranges::all_of(times, [&](double RankState::*time) {
    const double difference_s = advance_s(before, now, time) - advance_s(other_before, other, time);
    return difference_s == 0 || std::abs(difference_s) <= few_roundings * std::abs(other.*time);
  });
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

bool RingOfRuns::step() {
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

/// So many times as far beyond `now` as that is beyond `before`.
RingOfRuns::Runs RingOfRuns::far_on(const Runs& before, const Runs& now, int strides) {
  Runs there = now;
  for (std::size_t i = 0; i < there.size(); ++i) {
    Run& run = there[i];
    run.first = far_on_of(before[i].first, now[i].first, strides);
    run.last = far_on_of(before[i].last, now[i].last, strides);
    if (run.length > 1) run.shift_s = (run.last.begin_s - run.first.begin_s) / (run.length - 1);
  }
  return there;
}

/// Whether each of two pairs is as far apart as the other.
bool RingOfRuns::is_as_far(const Runs& before, const Runs& now, const Runs& other_before, const Runs& other) {
  if (before.size() != now.size() || now.size() != other_before.size() || now.size() != other.size())
    return false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const int length = now[i].length;
    if (before[i].length != length || other_before[i].length != length || other[i].length != length)
      return false;
    if (!is_as_far_of(before[i].first, now[i].first, other_before[i].first, other[i].first) ||
        !is_as_far_of(before[i].last, now[i].last, other_before[i].last, other[i].last))
      return false;
  }
  return true;
}

/// Returns how many steps it has gone.
int RingOfRuns::stride() {
  for (int gone = 0; gone < steps_of_stride; ++gone)
    if (!step()) return gone;
  return steps_of_stride;
}

/// A step is a max-plus map: convex, and all that begins later ends as much later. If two strides advance
/// x by D each, and another one does so from x + nD, then so do all between: what they would be off by is
/// convex in the number of strides, and 0 at 0, 1 and n. Goes on by one stride more than `strides`, and makes
/// `before` what is a stride before; false, and nothing is done, if it does not advance as it did.
bool RingOfRuns::leap(Runs& before, int strides) {
  const Runs now = runs_;
  const Runs there = far_on(before, now, strides);
  runs_ = there;
  const bool is_even = stride() == steps_of_stride && is_as_far(before, now, there, runs_);
  if (is_even)
    before = there;
  else
    runs_ = now;
  return is_even;
}

int RingOfRuns::go(int steps, double reduction_s_per_byte) {
  reduction_s_per_byte_ = reduction_s_per_byte;
  int gone = 0;
  int strides = 1;  // to leap next
  Runs before;
  while (steps - gone >= 3 * steps_of_stride) {
    Runs last = runs_;
    const int steps_gone = stride();
    gone += steps_gone;
    if (steps_gone < steps_of_stride) return gone;
    strides = std::min(strides, (steps - gone) / steps_of_stride - 1);
    const bool is_even = is_as_far(before, last, last, runs_);
    before = std::move(last);
    if (is_even && leap(before, strides)) {
      gone += (strides + 1) * steps_of_stride;
      strides *= 2;
    } else {
      strides = 1;
    }
  }
  while (gone < steps && step()) ++gone;
  return gone;
}

}  // namespace starling
