#include "algorithms/collectives/evaluation/ring_of_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace starling {
namespace {

constexpr double few_roundings = 4e-15;

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

constexpr std::array moments_of_rank = {&RankState::begin_s, &RankState::free_s, &RankState::start_s,
                                        &RankState::small_gone_s};

/// What was never stays so.
double advance_s(const RankState& before, const RankState& now, double RankState::*time) {
  return before.*time == now.*time ? 0 : now.*time - before.*time;
}

RankState far_on_of(const RankState& before, const RankState& now, int strides) {
  RankState there = now;
  for (const auto time : moments_of_rank) there.*time += strides * advance_s(before, now, time);
  return there;
}

bool is_as_far_of(const RankState& before, const RankState& now, const RankState& other_before,
                  const RankState& other) {
  return std::ranges::all_of(moments_of_rank, [&](double RankState::*time) {
    const double difference_s = advance_s(before, now, time) - advance_s(other_before, other, time);
    return difference_s == 0 || std::abs(difference_s) <= few_roundings * std::abs(other.*time);
  });
}

/// What was over when the next step begins is over for good; when it began matters until then.
RankState without_past(RankState state) {
  if (std::max(state.free_s, state.start_s) <= state.begin_s)
    state.free_s = state.start_s = FreeRoutes::never_s;
  if (state.small_gone_s <= state.begin_s) state.small_gone_s = FreeRoutes::never_s;
  return state;
}

/// Where the ranks of a block come after those of another, so much later.
bool follow(const RankState* before, const RankState* after, std::size_t ranks, double shift_s) {
  for (std::size_t place = 0; place < ranks; ++place)
    if (!are_equal(shifted(before[place], shift_s), after[place])) return false;
  return true;
}

void shift(std::vector<RankState>& ranks, double shift_s) {
  for (RankState& rank : ranks) rank = shifted(rank, shift_s);
}

}  // namespace

RingOfRuns::RingOfRuns(StepRules& rules, const RingHops& hops, const FreeRoutes& network)
    : rules_(rules),
      network_(network),
      ranks_(hops.size()),
      period_(hops.period()),
      next_first_(period_),
      next_last_(period_) {
  const std::vector<Legs> legs = legs_of(rules.chunks(), hops, network);
  for (std::size_t hop = 0; hop < 2 * period_; ++hop) legs_.push_back(legs[hops.kind_of[hop % period_]]);
}

/// So many tell how far one goes, but for a small part of their rounding; and hops are the same again.
int RingOfRuns::steps_of_stride() const {
  constexpr std::size_t at_least = 64;
  return static_cast<int>((at_least + period_ - 1) / period_ * period_);
}

std::size_t RingOfRuns::larger_chunks(std::size_t block) const {
  const auto all = static_cast<std::size_t>(rules_.chunks().larger_chunks);
  return std::min(all - std::min(all, block * period_), period_);
}

void RingOfRuns::append(std::size_t block, int length, const RankState* first, const RankState* last) {
  Runs& runs = next_runs_;
  const std::size_t larger = larger_chunks(block);
  if (!runs.runs.empty() && runs.runs.back().larger_chunks == larger) {
    Run& before = runs.runs.back();
    RankState* const last_before = &runs.last[runs.last.size() - period_];
    const double shift_s = before.length == 1 ? first->begin_s - last_before->begin_s : before.shift_s;
    if (follow(last_before, first, period_, shift_s) &&
        (length == 1 || follow(last_before, last, period_, length * shift_s))) {
      before.length += length;
      for (std::size_t place = 0; place < period_; ++place) last_before[place] = last[place];
      before.shift_s =
          (last_before->begin_s - runs.first[runs.first.size() - period_].begin_s) / (before.length - 1);
      return;
    }
  }
  runs.runs.push_back({length, larger, length == 1 ? 0 : (last->begin_s - first->begin_s) / (length - 1)});
  for (std::size_t place = 0; place < period_; ++place) {
    runs.first.push_back(first[place]);
    runs.last.push_back(last[place]);
  }
}

void RingOfRuns::clear(Runs& runs) {
  runs.runs.clear();
  runs.first.clear();
  runs.last.clear();
}

bool RingOfRuns::begin(const std::vector<RankState>& ranks, int step) {
  clear(next_runs_);
  const std::size_t first_sender = static_cast<std::size_t>(step) + 1;
  for (std::size_t block = 0; block < number_of_blocks() && next_runs_.runs.size() <= most_runs(); ++block) {
    for (std::size_t place = 0; place < period_; ++place)
      next_first_[place] = without_past(ranks[(block * period_ + place + first_sender) % ranks_]);
    append(block, 1, next_first_.data(), next_first_.data());
  }
  next_runs_.first_hop = first_sender % period_;
  std::swap(runs_, next_runs_);
  return runs_.runs.size() <= most_runs();
}

std::vector<RankState> RingOfRuns::ranks(int step) const {
  std::vector<RankState> ranks(ranks_);
  std::size_t sender = static_cast<std::size_t>(step) + 1;
  for (std::size_t run = 0; run < runs_.runs.size(); ++run)
    for (int block = 0; block < runs_.runs[run].length; ++block) {
      const bool is_last = block + 1 == runs_.runs[run].length;
      for (std::size_t place = run * period_; place < (run + 1) * period_; ++place, ++sender)
        ranks[sender % ranks_] =
            is_last ? runs_.last[place] : shifted(runs_.first[place], block * runs_.runs[run].shift_s);
    }
  return ranks;
}

/// `next_begin_s`: when the step of whom the last one sends to begins.
void RingOfRuns::send_block(const Run& run, double next_begin_s, RankState* ranks, Sent* sent) {
  double right_begin_s = next_begin_s;
  for (std::size_t place = period_; place-- > 0;) {
    const std::size_t size = place < run.larger_chunks ? 1 : 0;
    const double begin_s = ranks[place].begin_s;
    if (rules_.is_sent(size))
      sent[place] =
          rules_.send(ranks[place], leg(place)[size], rules_.launch_s(begin_s, size), right_begin_s);
    right_begin_s = begin_s;
  }
}

void RingOfRuns::send(std::size_t index) {
  const Run& run = runs_.runs[index];
  const std::size_t first = index * period_;
  const std::size_t next = index + 1 == runs_.runs.size() ? 0 : first + period_;
  send_block(run, runs_.first[next].begin_s, &now_.last[first], &last_sent_[first]);
  if (run.length > 1) {
    const double second_begin_s =
        run.length == 2 ? runs_.last[first].begin_s : runs_.first[first].begin_s + run.shift_s;
    send_block(run, second_begin_s, &now_.first[first], &first_sent_[first]);
  } else {
    for (std::size_t place = first; place < first + period_; ++place) {
      now_.first[place] = now_.last[place];
      first_sent_[place] = last_sent_[place];
    }
  }
}

RingOfRuns::Block RingOfRuns::first_of(std::size_t run, double shift_s) const {
  const std::size_t first = run * period_;
  return {&runs_.first[first], &now_.first[first], &first_sent_[first], runs_.runs[run].larger_chunks,
          shift_s};
}

RingOfRuns::Block RingOfRuns::last_of(std::size_t run) const {
  const std::size_t first = run * period_;
  return {&runs_.last[first], &now_.last[first], &last_sent_[first], runs_.runs[run].larger_chunks, 0};
}

/// Who sends the chunks of a block in the next step: all of it but the first, and the first of the one that
/// follows.
void RingOfRuns::next(const Block& block, const Block& following) {
  for (std::size_t left = 0; left < period_; ++left) {
    const bool is_last = left + 1 == period_;
    const Block& own = is_last ? following : block;
    const std::size_t place = is_last ? 0 : left + 1;
    const std::size_t size = place < own.larger_chunks ? 1 : 0;
    const std::size_t left_size = left < block.larger_chunks ? 1 : 0;
    RankState next = shifted(own.now[place], own.shift_s);
    next.begin_s = rules_.end_s(own.before[place].begin_s + own.shift_s, size,
                                shifted(own.sent[place], own.shift_s), left_size, leg(left)[left_size],
                                block.sent[left].arrival_s + block.shift_s, reduction_s_per_byte_);
    next_first_[left] = without_past(next);
  }
}

/// All blocks of a run, of which the first is that one.
void RingOfRuns::go_on(std::size_t index, std::size_t block) {
  const Run& run = runs_.runs[index];
  if (run.length > 2) {
    next(first_of(index, 0), first_of(index, run.shift_s));
    next_last_ = next_first_;
    shift(next_last_, (run.length - 3) * run.shift_s);
    append(block, run.length - 2, next_first_.data(), next_last_.data());
  }
  const std::size_t last = block + static_cast<std::size_t>(run.length) - 1;
  if (run.length > 1) {
    next(first_of(index, (run.length - 2) * run.shift_s), last_of(index));
    append(last - 1, 1, next_first_.data(), next_first_.data());
  }
  next(last_of(index), first_of(index + 1 == runs_.runs.size() ? 0 : index + 1, 0));
  append(last, 1, next_first_.data(), next_first_.data());
}

bool RingOfRuns::step() {
  now_.first = runs_.first;
  now_.last = runs_.last;
  first_sent_.resize(runs_.first.size());
  last_sent_.resize(runs_.last.size());
  for (std::size_t run = 0; run < runs_.runs.size(); ++run) send(run);
  clear(next_runs_);
  std::size_t block = 0;
  for (std::size_t run = 0; run < runs_.runs.size(); ++run) {
    go_on(run, block);
    block += static_cast<std::size_t>(runs_.runs[run].length);
  }
  if (next_runs_.runs.size() > most_runs()) return false;
  next_runs_.first_hop = (runs_.first_hop + 1) % period_;
  std::swap(runs_, next_runs_);
  return true;
}

/// So many times as far beyond `now` as that is beyond `before`.
RingOfRuns::Runs RingOfRuns::far_on(const Runs& before, const Runs& now, int strides) const {
  Runs there = now;
  for (std::size_t i = 0; i < there.first.size(); ++i) {
    there.first[i] = far_on_of(before.first[i], now.first[i], strides);
    there.last[i] = far_on_of(before.last[i], now.last[i], strides);
  }
  for (std::size_t i = 0; i < there.runs.size(); ++i) {
    Run& run = there.runs[i];
    const std::size_t first = i * period_;
    if (run.length > 1)
      run.shift_s = (there.last[first].begin_s - there.first[first].begin_s) / (run.length - 1);
  }
  return there;
}

/// Whether each of two pairs is as far apart as the other.
bool RingOfRuns::is_as_far(const Runs& before, const Runs& now, const Runs& other_before, const Runs& other) {
  const auto have_equal_lengths = [](const Runs& one, const Runs& another) {
    return std::ranges::equal(one.runs, another.runs, {}, &Run::length, &Run::length);
  };
  if (!have_equal_lengths(before, now) || !have_equal_lengths(now, other_before) ||
      !have_equal_lengths(now, other))
    return false;
  for (std::size_t i = 0; i < now.first.size(); ++i)
    if (!is_as_far_of(before.first[i], now.first[i], other_before.first[i], other.first[i]) ||
        !is_as_far_of(before.last[i], now.last[i], other_before.last[i], other.last[i]))
      return false;
  return true;
}

/// Returns how many steps it has gone.
int RingOfRuns::stride(Watcher* watcher) {
  const int steps = steps_of_stride();
  for (int gone = 0; gone < steps; ++gone) {
    if (!step()) return gone;
    if (watcher != nullptr) watcher->went_a_step();
  }
  return steps;
}

/// A step is a max-plus map: convex, and all that begins later ends as much later. If two strides advance
/// x by D each, and another one does so from x + nD, then so do all between: what they would be off by is
/// convex in the number of strides, and 0 at 0, 1 and n. Goes on by one stride more than `strides`, and makes
/// `before` what is a stride before; false, and nothing is done, if it does not advance as it did.
bool RingOfRuns::leap(Runs& before, int strides) {
  const Runs now = runs_;
  const Runs there = far_on(before, now, strides);
  runs_ = there;
  const bool is_even = stride(nullptr) == steps_of_stride() && is_as_far(before, now, there, runs_);
  if (is_even)
    before = there;
  else
    runs_ = now;
  return is_even;
}

int RingOfRuns::go(int step, int end_step, Watcher* watcher) {
  const int workers = static_cast<int>(ranks_);
  for (bool are_few = true; are_few && step < end_step;) {
    const int steps = steps_of_phase(workers, step, end_step);
    reduction_s_per_byte_ = reduction_of_step(network_, step, workers);
    const int gone = go_alike(steps, watcher);
    are_few = gone == steps;
    step += gone;
  }
  return step;
}

/// By so many steps, which all reduce alike. Returns how many it has gone.
int RingOfRuns::go_alike(int steps, Watcher* watcher) {
  const int stride_steps = steps_of_stride();
  int gone = 0;
  int strides = 1;  // to leap next
  Runs before;
  while (steps - gone >= 3 * stride_steps) {
    Runs last = runs_;
    const int steps_gone = stride(watcher);
    gone += steps_gone;
    if (steps_gone < stride_steps) return gone;
    strides = std::min(strides, (steps - gone) / stride_steps - 1);
    const bool may_leap = watcher == nullptr || watcher->goes_evenly_since(stride_steps);
    const bool is_even = may_leap && is_as_far(before, last, last, runs_);
    before = std::move(last);
    if (is_even && leap(before, strides)) {
      const int steps_leapt = (strides + 1) * stride_steps;
      if (watcher != nullptr) watcher->went_evenly(steps_leapt);
      gone += steps_leapt;
      strides *= 2;
    } else {
      strides = 1;
    }
  }
  for (; gone < steps && step(); ++gone)
    if (watcher != nullptr) watcher->went_a_step();
  return gone;
}

}  // namespace starling
