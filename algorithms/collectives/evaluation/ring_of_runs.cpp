#include "algorithms/collectives/evaluation/ring_of_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace starling {
namespace {

constexpr double few_roundings = 4e-15;

/// Whether times are equal but for the rounding of a few sums. FreeRoutes::never_s equals nothing but itself.
bool are_equal(double one_s, double other_s) {
  return one_s == other_s ||
         std::abs(one_s - other_s) <= few_roundings * std::min(std::abs(one_s), std::abs(other_s));
}

/// The same, `shift_s` later. FreeRoutes::never_s stays what it is.
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

/// By how much a time is later than it was. What never was, and is not now, does not advance.
double advance_s(const RankState& before, const RankState& now, double RankState::*time) {
  return before.*time == now.*time ? 0 : now.*time - before.*time;
}

/// The state that is so many times as far after `now` as that is after `before`.
RankState extrapolated(const RankState& before, const RankState& now, int strides) {
  RankState there = now;
  for (const auto time : moments_of_rank) there.*time += strides * advance_s(before, now, time);
  return there;
}

/// Whether all times advance from `before` to `now` as they do from `other_before` to `other`.
bool advance_equally(const RankState& before, const RankState& now, const RankState& other_before,
                     const RankState& other) {
  return std::ranges::all_of(moments_of_rank, [&](double RankState::*time) {
    const double difference_s = advance_s(before, now, time) - advance_s(other_before, other, time);
    return difference_s == 0 || std::abs(difference_s) <= few_roundings * std::abs(other.*time);
  });
}

/// Forgets when a hop was last in use, and when the last small message left, if that was before the next step
/// begins and so holds nothing up anymore: ranks that differ in nothing else are equal then.
RankState without_past(RankState state) {
  if (std::max(state.free_s, state.start_s) <= state.begin_s)
    state.free_s = state.start_s = FreeRoutes::never_s;
  if (state.small_gone_s <= state.begin_s) state.small_gone_s = FreeRoutes::never_s;
  return state;
}

/// Whether the states of a block's ranks are those of another's, `shift_s` later.
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
      block_size_(hops.block()),
      do_all_repeat_(hops.changes().empty() && ranks_ % block_size_ == 0),
      changes_(hops.changes()),
      legs_(legs_of(rules.chunks(), hops, network)),
      next_first_(block_size_),
      next_last_(block_size_) {
  const auto known = static_cast<std::ptrdiff_t>(do_all_repeat_ ? block_size_ : ranks_);
  for (int twice = 0; twice < 2; ++twice)
    kinds_of_hops_.insert(kinds_of_hops_.end(), hops.kind_of.begin(), hops.kind_of.begin() + known);
}

/// Enough steps to tell how far one advances, but for a small part of their rounding; after them every rank
/// sends on a hop of the same kind again.
int RingOfRuns::steps_of_stride() const {
  constexpr std::size_t at_least = 64;
  return static_cast<int>((at_least + block_size_ - 1) / block_size_ * block_size_);
}

std::size_t RingOfRuns::larger_chunks(std::size_t block) const {
  const auto all = static_cast<std::size_t>(rules_.chunks().larger_chunks);
  return std::min(all - std::min(all, block * block_size_), block_size_);
}

/// Begins the runs after a step, in which the rank that sends the first chunk does so on `first_hop`.
void RingOfRuns::begin_next(std::size_t first_hop) {
  next_runs_.runs.clear();
  next_runs_.first.clear();
  next_runs_.last.clear();
  next_runs_.first_hop = first_hop;
  if (do_all_repeat_) return;
  passed_changes_ = 0;
  changed_blocks_.clear();
  const auto first = std::ranges::lower_bound(changes_, next_runs_.first_hop);
  const auto add = [&](std::size_t hop) {
    changed_blocks_.push_back((hop - next_runs_.first_hop) / block_size_);
  };
  std::for_each(first, changes_.end(), add);
  std::for_each(changes_.begin(), first, [&](std::size_t hop) { add(hop + ranks_); });
  if (ranks_ % block_size_ != 0) changed_blocks_.push_back(number_of_blocks() - 1);
}

/// Passes all changes of hops up to `block`. Returns whether hops change at it.
bool RingOfRuns::pass_changes(std::size_t block) {
  bool does = false;
  for (; passed_changes_ < changed_blocks_.size() && changed_blocks_[passed_changes_] <= block;
       ++passed_changes_)
    does = changed_blocks_[passed_changes_] == block;
  return does;
}

/// Puts `length` blocks, from `block` on, behind the others: as one run, or as several where hops change. The
/// first has the states next_first_; the last, if there are several, next_last_.
void RingOfRuns::append(std::size_t block, int length) {
  for (;;) {
    const bool do_hops_change = pass_changes(block);
    const bool are_all = passed_changes_ == changed_blocks_.size() ||
                         changed_blocks_[passed_changes_] >= block + static_cast<std::size_t>(length);
    if (are_all)
      return append_alike(block, length, do_hops_change,
                          length == 1 ? next_first_.data() : next_last_.data());
    const int alike = static_cast<int>(changed_blocks_[passed_changes_] - block);
    const double shift_s = (next_last_.front().begin_s - next_first_.front().begin_s) / (length - 1);
    before_change_ = next_first_;
    shift(before_change_, (alike - 1) * shift_s);
    append_alike(block, alike, do_hops_change, before_change_.data());
    shift(next_first_, alike * shift_s);
    block += static_cast<std::size_t>(alike);
    length -= alike;
  }
}

/// Puts blocks that no change of hops divides behind the others: as a run of its own, or as part of the last
/// one.
void RingOfRuns::append_alike(std::size_t block, int length, bool do_hops_change, const RankState* last) {
  Runs& runs = next_runs_;
  const RankState* const first = next_first_.data();
  const std::size_t larger = larger_chunks(block);
  if (!do_hops_change && !runs.runs.empty() && runs.runs.back().larger_chunks == larger) {
    Run& before = runs.runs.back();
    RankState* const last_before = &runs.last[runs.last.size() - block_size_];
    const double shift_s = before.length == 1 ? first->begin_s - last_before->begin_s : before.shift_s;
    if (follow(last_before, first, block_size_, shift_s) &&
        (length == 1 || follow(last_before, last, block_size_, length * shift_s))) {
      before.length += length;
      for (std::size_t place = 0; place < block_size_; ++place) last_before[place] = last[place];
      before.shift_s =
          (last_before->begin_s - runs.first[runs.first.size() - block_size_].begin_s) / (before.length - 1);
      return;
    }
  }
  runs.runs.push_back({length, larger, length == 1 ? 0 : (last->begin_s - first->begin_s) / (length - 1)});
  for (std::size_t place = 0; place < block_size_; ++place) {
    runs.first.push_back(first[place]);
    runs.last.push_back(last[place]);
  }
}

bool RingOfRuns::begin(const std::vector<RankState>& ranks, int step) {
  const std::size_t first_sender = static_cast<std::size_t>(step) + 1;
  begin_next(first_sender % known_hops());
  for (std::size_t block = 0; block < number_of_blocks() && next_runs_.runs.size() <= most_runs(); ++block) {
    for (std::size_t place = 0; place < ranks_of(block); ++place)
      next_first_[place] = without_past(ranks[(block * block_size_ + place + first_sender) % ranks_]);
    append(block, 1);
  }
  std::swap(runs_, next_runs_);
  return runs_.runs.size() <= most_runs();
}

std::vector<RankState> RingOfRuns::ranks(int step) const {
  std::vector<RankState> ranks(ranks_);
  std::size_t sender = static_cast<std::size_t>(step) + 1;
  std::size_t block = 0;
  for (std::size_t run = 0; run < runs_.runs.size(); ++run)
    for (int in_run = 0; in_run < runs_.runs[run].length; ++in_run, ++block) {
      const bool is_last = in_run + 1 == runs_.runs[run].length;
      const std::size_t first = run * block_size_;
      for (std::size_t place = first; place < first + ranks_of(block); ++place, ++sender)
        ranks[sender % ranks_] =
            is_last ? runs_.last[place] : shifted(runs_.first[place], in_run * runs_.runs[run].shift_s);
    }
  return ranks;
}

/// What the ranks of a block send, from the last to the first. `next_begin_s`: when the step begins for the
/// rank that the last one sends to.
void RingOfRuns::send_block(const Run& run, std::size_t block, double next_begin_s, RankState* ranks,
                            Sent* sent) {
  const std::uint32_t* const kinds = kinds_of_hops(block);
  double right_begin_s = next_begin_s;
  for (std::size_t place = ranks_of(block); place-- > 0;) {
    const std::size_t size = place < run.larger_chunks ? 1 : 0;
    const double begin_s = ranks[place].begin_s;
    if (rules_.is_sent(size))
      sent[place] =
          rules_.send(ranks[place], legs_[kinds[place]][size], rules_.launch_s(begin_s, size), right_begin_s);
    right_begin_s = begin_s;
  }
}

void RingOfRuns::send(std::size_t index, std::size_t block) {
  const Run& run = runs_.runs[index];
  const std::size_t first = index * block_size_;
  const std::size_t next = index + 1 == runs_.runs.size() ? 0 : first + block_size_;
  const std::size_t last_block = block + static_cast<std::size_t>(run.length) - 1;
  send_block(run, last_block, runs_.first[next].begin_s, &now_.last[first], &last_sent_[first]);
  if (run.length > 1) {
    const double second_begin_s =
        run.length == 2 ? runs_.last[first].begin_s : runs_.first[first].begin_s + run.shift_s;
    send_block(run, block, second_begin_s, &now_.first[first], &first_sent_[first]);
  } else {
    for (std::size_t place = first; place < first + block_size_; ++place) {
      now_.first[place] = now_.last[place];
      first_sent_[place] = last_sent_[place];
    }
  }
}

RingOfRuns::Block RingOfRuns::first_of(std::size_t run, std::size_t block, double shift_s) const {
  const std::size_t first = run * block_size_;
  return {&runs_.first[first],
          &now_.first[first],
          &first_sent_[first],
          kinds_of_hops(block),
          ranks_of(block),
          runs_.runs[run].larger_chunks,
          shift_s};
}

RingOfRuns::Block RingOfRuns::last_of(std::size_t run, std::size_t block) const {
  const std::size_t first = run * block_size_;
  return {&runs_.last[first],
          &now_.last[first],
          &last_sent_[first],
          kinds_of_hops(block),
          ranks_of(block),
          runs_.runs[run].larger_chunks,
          0};
}

/// Writes to next_first_ the states of those who send the chunks of a block in the next step: all ranks of
/// the block but the first, and the first of the block that follows.
void RingOfRuns::find_next_states(const Block& block, const Block& following) {
  for (std::size_t left = 0; left < block.ranks; ++left) {
    const bool is_last = left + 1 == block.ranks;
    const Block& own = is_last ? following : block;
    const std::size_t place = is_last ? 0 : left + 1;
    const std::size_t size = place < own.larger_chunks ? 1 : 0;
    const std::size_t left_size = left < block.larger_chunks ? 1 : 0;
    RankState next = shifted(own.now[place], own.shift_s);
    next.begin_s =
        rules_.end_s(own.before[place].begin_s + own.shift_s, size, shifted(own.sent[place], own.shift_s),
                     left_size, legs_[block.kinds_of_hops[left]][left_size],
                     block.sent[left].arrival_s + block.shift_s, reduction_s_per_byte_);
    next_first_[left] = without_past(next);
  }
}

/// Appends what becomes of the blocks of a run, from `block` on, in a step.
void RingOfRuns::append_next_of(std::size_t index, std::size_t block) {
  const Run& run = runs_.runs[index];
  if (run.length > 2) {
    find_next_states(first_of(index, block, 0), first_of(index, block + 1, run.shift_s));
    next_last_ = next_first_;
    shift(next_last_, (run.length - 3) * run.shift_s);
    append(block, run.length - 2);
  }
  const std::size_t last = block + static_cast<std::size_t>(run.length) - 1;
  if (run.length > 1) {
    find_next_states(first_of(index, last - 1, (run.length - 2) * run.shift_s), last_of(index, last));
    append(last - 1, 1);
  }
  const bool is_end = index + 1 == runs_.runs.size();
  find_next_states(last_of(index, last), first_of(is_end ? 0 : index + 1, is_end ? 0 : last + 1, 0));
  append(last, 1);
}

bool RingOfRuns::step() {
  now_.first = runs_.first;
  now_.last = runs_.last;
  first_sent_.resize(runs_.first.size());
  last_sent_.resize(runs_.last.size());
  std::size_t block = 0;
  for (std::size_t run = 0; run < runs_.runs.size(); ++run) {
    send(run, block);
    block += static_cast<std::size_t>(runs_.runs[run].length);
  }
  begin_next(runs_.first_hop + 1 == known_hops() ? 0 : runs_.first_hop + 1);
  block = 0;
  for (std::size_t run = 0; run < runs_.runs.size(); ++run) {
    append_next_of(run, block);
    block += static_cast<std::size_t>(runs_.runs[run].length);
  }
  if (next_runs_.runs.size() > most_runs()) return false;
  std::swap(runs_, next_runs_);
  return true;
}

/// The runs that are so many times as far after `now` as these are after `before`.
RingOfRuns::Runs RingOfRuns::extrapolated(const Runs& before, const Runs& now, int strides) const {
  Runs there = now;
  for (std::size_t i = 0; i < there.first.size(); ++i) {
    there.first[i] = starling::extrapolated(before.first[i], now.first[i], strides);
    there.last[i] = starling::extrapolated(before.last[i], now.last[i], strides);
  }
  for (std::size_t i = 0; i < there.runs.size(); ++i) {
    Run& run = there.runs[i];
    const std::size_t first = i * block_size_;
    if (run.length > 1)
      run.shift_s = (there.last[first].begin_s - there.first[first].begin_s) / (run.length - 1);
  }
  return there;
}

/// Whether all times advance from `before` to `now` as they do from `other_before` to `other`.
bool RingOfRuns::advance_equally(const Runs& before, const Runs& now, const Runs& other_before,
                                 const Runs& other) {
  const auto have_equal_lengths = [](const Runs& one, const Runs& another) {
    return std::ranges::equal(one.runs, another.runs, {}, &Run::length, &Run::length);
  };
  if (!have_equal_lengths(before, now) || !have_equal_lengths(now, other_before) ||
      !have_equal_lengths(now, other))
    return false;
  for (std::size_t i = 0; i < now.first.size(); ++i)
    if (!starling::advance_equally(before.first[i], now.first[i], other_before.first[i], other.first[i]) ||
        !starling::advance_equally(before.last[i], now.last[i], other_before.last[i], other.last[i]))
      return false;
  return true;
}

/// Computes the steps of a stride. Returns how many it has come, fewer if there are too many runs.
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
  const Runs there = extrapolated(before, now, strides);
  runs_ = there;
  const bool is_even = stride(nullptr) == steps_of_stride() && advance_equally(before, now, there, runs_);
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
    const int gone = go_in_phase(steps, watcher);
    are_few = gone == steps;
    step += gone;
  }
  return step;
}

/// Computes so many steps, of which either all reduce or none. Returns how many it has come, fewer if there
/// are too many runs.
int RingOfRuns::go_in_phase(int steps, Watcher* watcher) {
  const int stride_steps = steps_of_stride();
  int gone = 0;
  int strides = 1;  // to leap next
  Runs before;
  while (do_all_repeat_ && steps - gone >= 3 * stride_steps) {
    Runs last = runs_;
    const int steps_gone = stride(watcher);
    gone += steps_gone;
    if (steps_gone < stride_steps) return gone;
    strides = std::min(strides, (steps - gone) / stride_steps - 1);
    const bool may_leap = watcher == nullptr || watcher->goes_evenly_since(stride_steps);
    const bool is_even = may_leap && advance_equally(before, last, last, runs_);
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
