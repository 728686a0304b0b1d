#include "algorithms/collectives/evaluation/rings/ring_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling {
namespace {

constexpr double few_roundings = 4e-15;

/// Whether times are equal up to the rounding of a few sums. FreeRoutes::never_s equals only itself.
bool are_equal(double one_s, double other_s) {
  return one_s == other_s ||
         std::abs(one_s - other_s) <= few_roundings * std::min(std::abs(one_s), std::abs(other_s));
}

bool are_equal(const RankState& one, const RankState& other) {
  return are_equal(one.begin_s, other.begin_s) && are_equal(one.free_s, other.free_s) &&
         are_equal(one.start_s, other.start_s) && are_equal(one.small_gone_s, other.small_gone_s);
}

/// How much later a time is than before; 0 if it is FreeRoutes::never_s both times.
double advance_s(double before_s, double now_s) { return before_s == now_s ? 0 : now_s - before_s; }

/// Removes the times of a hop and of the last small message if they are before the next step begins, where
/// they delay nothing anymore. Ranks that differ only in these times then become equal.
RankState without_past(RankState state) {
  if (std::max(state.free_s, state.start_s) <= state.begin_s)
    state.free_s = state.start_s = FreeRoutes::never_s;
  if (state.small_gone_s <= state.begin_s) state.small_gone_s = FreeRoutes::never_s;
  return state;
}

/// Whether the states `after` are those of another block, `before`, shifted by `shift_s`.
bool follow(const RankState* before, const std::vector<RankState>& after, double shift_s) {
  return std::ranges::all_of(
      after, [&](const RankState& state) { return are_equal(later(*before++, shift_s), state); });
}

void shift(std::vector<RankState>& ranks, double shift_s) {
  for (RankState& rank : ranks) rank = later(rank, shift_s);
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

/// The number of steps in a stride: enough to measure the advance of a step with little rounding error, and a
/// multiple of the block, so that afterwards each place has a hop of the same kind again.
int RingOfRuns::steps_of_stride() const {
  constexpr std::size_t at_least = 64;
  return static_cast<int>((at_least + block_size_ - 1) / block_size_ * block_size_);
}

std::size_t RingOfRuns::larger_chunks(std::size_t block) const {
  const auto all = static_cast<std::size_t>(rules_.chunks().larger_chunks);
  return std::min(all - std::min(all, block * block_size_), block_size_);
}

/// Clears next_runs_ for the state in which the rank that sends chunk 0 next does so on `first_hop`.
void RingOfRuns::begin_next(std::size_t first_hop) {
  next_runs_.runs.clear();
  next_runs_.states.clear();
  next_runs_.first_hop = first_hop;
  if (do_all_repeat_) return;
  changed_blocks_.clear();
  const auto first = std::ranges::lower_bound(changes_, next_runs_.first_hop);
  const auto add = [&](std::size_t hop) {
    changed_blocks_.push_back((hop - next_runs_.first_hop) / block_size_);
  };
  std::for_each(first, changes_.end(), add);
  std::for_each(changes_.begin(), first, [&](std::size_t hop) { add(hop + ranks_); });
  if (ranks_ % block_size_ != 0) changed_blocks_.push_back(number_of_blocks() - 1);
}

bool RingOfRuns::do_hops_change_at(std::size_t block) const {
  return std::ranges::binary_search(changed_blocks_, block);
}

/// How many of `length` blocks, from `block` on, come before the next change of hops.
int RingOfRuns::alike_from(std::size_t block, int length) const {
  const auto change = std::ranges::upper_bound(changed_blocks_, block);
  const std::size_t end = block + static_cast<std::size_t>(length);
  return static_cast<int>((change == changed_blocks_.end() ? end : std::min(end, *change)) - block);
}

/// Appends `length` blocks, from `block` on, to next_runs_: as one run, or as several if hops change among
/// them. The first block has the states next_first_; the last, if there are several, next_last_.
void RingOfRuns::append(std::size_t block, int length) {
  for (int alike = alike_from(block, length); alike < length; alike = alike_from(block, length)) {
    const double shift_s = (next_last_.front().begin_s - next_first_.front().begin_s) / (length - 1);
    before_change_ = next_first_;
    shift(before_change_, (alike - 1) * shift_s);
    append_alike(block, alike, before_change_);
    shift(next_first_, alike * shift_s);
    block += static_cast<std::size_t>(alike);
    length -= alike;
  }
  append_alike(block, length, length == 1 ? next_first_ : next_last_);
}

/// Appends blocks without a change of hops among them: to the last run, or as a run of their own.
void RingOfRuns::append_alike(std::size_t block, int length, const std::vector<RankState>& last) {
  std::vector<Run>& runs = next_runs_.runs;
  const std::size_t larger = larger_chunks(block);
  const bool may_lengthen = !do_hops_change_at(block) && !runs.empty() && runs.back().larger_chunks == larger;
  if (may_lengthen && lengthen_last_run(length, last)) return;
  const double from_first_s = last.front().begin_s - next_first_.front().begin_s;
  runs.push_back({block, length, larger, length == 1 ? 0 : from_first_s / (length - 1)});
  std::vector<RankState>& states = next_runs_.states;
  states.insert(states.end(), next_first_.begin(), next_first_.end());
  states.insert(states.end(), last.begin(), last.end());
}

/// Adds blocks to the last run if they continue it with its shift. If the run is a single block, which has no
/// shift yet, any shift will do. Returns false, and changes nothing, if they do not fit.
bool RingOfRuns::lengthen_last_run(int length, const std::vector<RankState>& last) {
  Run& run = next_runs_.runs.back();
  RankState* const own_last = &next_runs_.states[next_runs_.states.size() - block_size_];
  const RankState* const own_first = own_last - block_size_;
  const double shift_s = run.length == 1 ? next_first_.front().begin_s - own_last->begin_s : run.shift_s;
  if (!follow(own_last, next_first_, shift_s)) return false;
  if (length > 1 && !follow(own_last, last, length * shift_s)) return false;
  run.length += length;
  std::ranges::copy(last, own_last);
  run.shift_s = (own_last->begin_s - own_first->begin_s) / (run.length - 1);
  return true;
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
  std::size_t sender = (static_cast<std::size_t>(step) + 1) % ranks_;
  for (std::size_t index = 0; index < runs_.runs.size(); ++index) {
    const Run& run = runs_.runs[index];
    for (std::size_t block = run.first_block; block <= run.last_block(); ++block) {
      const RankState* own = &runs_.states[first_state(runs_, index, block)];
      for (std::size_t rank = 0; rank < ranks_of(block); ++rank, sender = right_of(sender, ranks_))
        ranks[sender] = later(*own++, run.shift_of(block));
    }
  }
  return ranks;
}

/// The block to which the last rank of a block sends.
RingOfRuns::Block RingOfRuns::block_after(std::size_t run, std::size_t block) const {
  if (block != runs_.runs[run].last_block()) return block_of(runs_, run, block + 1);
  const bool is_end = run + 1 == runs_.runs.size();
  return block_of(runs_, is_end ? 0 : run + 1, is_end ? 0 : block + 1);
}

/// Computes the messages of the known blocks. The blocks between them send as the first one does, later: the
/// equations of a step only compare times of a rank and of the next one, and add to them what all blocks of a
/// run have in common, so all results are shifted as these times are.
void RingOfRuns::send() {
  have_sent_ = runs_.states;
  sent_.resize(runs_.states.size());
  for (std::size_t run = 0; run < runs_.runs.size(); ++run) {
    send_block(run, runs_.runs[run].last_block());
    if (runs_.runs[run].length > 1) send_block(run, runs_.runs[run].first_block);
  }
}

/// Computes the messages of the ranks of a known block, each to the next rank.
void RingOfRuns::send_block(std::size_t run, std::size_t block) {
  const Block own = block_of(runs_, run, block);
  const Block after = block_after(run, block);
  const std::size_t first = first_state(runs_, run, block);
  for (std::size_t place = 0; place < own.ranks; ++place) {
    const std::size_t size = own.size(place);
    if (!rules_.is_sent(size)) continue;
    const bool is_last = place + 1 == own.ranks;
    const double receiver_begin_s =
        is_last ? after.before->begin_s + after.shift_s : own.before[place + 1].begin_s;
    sent_[first + place] = rules_.send(have_sent_[first + place], own.leg(place),
                                       rules_.launch_s(own.before[place].begin_s, size), receiver_begin_s);
  }
}

/// Writes to next_first_ the states of the ranks that send the chunks of a block in the next step: all
/// ranks of the block except the first, and the first rank of the block after it.
void RingOfRuns::find_next_states(std::size_t run, std::size_t block) {
  const Block own = block_of(runs_, run, block);
  const Block after = block_after(run, block);
  for (std::size_t left = 0; left < own.ranks; ++left) {
    const bool is_last = left + 1 == own.ranks;
    const Block& of = is_last ? after : own;
    const std::size_t place = is_last ? 0 : left + 1;
    RankState next = later(of.have_sent[place], of.shift_s);
    next.begin_s = rules_.end_s(of.before[place].begin_s + of.shift_s, of.size(place),
                                later(of.sent[place], of.shift_s), own.size(left), own.leg(left),
                                own.sent[left].arrival_s + own.shift_s, reduction_s_per_byte_);
    next_first_[left] = without_past(next);
  }
}

/// Appends the blocks of a run as they are after a step. All but the last two follow from the first by
/// shifts. The last two are computed themselves: one sends to the last block, which is known more precisely
/// than by shifts, the other to another run.
void RingOfRuns::append_next_of(std::size_t index) {
  const Run& run = runs_.runs[index];
  const std::size_t last = run.last_block();
  if (run.length > 2) {
    find_next_states(index, run.first_block);
    next_last_ = next_first_;
    shift(next_last_, (run.length - 3) * run.shift_s);
    append(run.first_block, run.length - 2);
  }
  for (std::size_t block = run.length > 1 ? last - 1 : last; block <= last; ++block) {
    find_next_states(index, block);
    append(block, 1);
  }
}

bool RingOfRuns::step() {
  send();
  begin_next(runs_.first_hop + 1 == known_hops() ? 0 : runs_.first_hop + 1);
  for (std::size_t run = 0; run < runs_.runs.size(); ++run) append_next_of(run);
  if (next_runs_.runs.size() > most_runs()) return false;
  std::swap(runs_, next_runs_);
  return true;
}

/// Computes the steps of a stride. Returns the number of steps computed, which is lower if there are too many
/// runs.
int RingOfRuns::stride(Watcher* watcher) {
  const int steps = steps_of_stride();
  for (int gone = 0; gone < steps; ++gone) {
    if (!step()) return gone;
    if (watcher != nullptr) watcher->on_step();
  }
  return steps;
}

/// The runs after `strides` more strides that advance all times as from advance.from to advance.to.
RingOfRuns::Runs RingOfRuns::extrapolated(const Advance& advance, int strides) const {
  Runs there = advance.to;
  for (std::size_t i = 0; i < there.states.size(); ++i)
    for (const auto time : RankState::times)
      there.states[i].*time += strides * advance_s(advance.from.states[i].*time, advance.to.states[i].*time);
  const RankState* first = there.states.data();
  for (Run& run : there.runs) {
    if (run.length > 1) run.shift_s = (first[block_size_].begin_s - first->begin_s) / (run.length - 1);
    first += 2 * block_size_;
  }
  return there;
}

/// Whether both advances have runs of equal lengths, whose times advance equally up to rounding.
bool RingOfRuns::are_equal_advances(const Advance& one, const Advance& other) {
  for (const Runs* runs : {&one.from, &other.from, &other.to})
    if (!std::ranges::equal(one.to.runs, runs->runs, {}, &Run::length, &Run::length)) return false;
  for (std::size_t i = 0; i < one.to.states.size(); ++i)
    for (const auto time : RankState::times) {
      const double now_s = other.to.states[i].*time;
      const double difference_s = advance_s(one.from.states[i].*time, one.to.states[i].*time) -
                                  advance_s(other.from.states[i].*time, now_s);
      if (difference_s != 0 && !(std::abs(difference_s) <= few_roundings * std::abs(now_s))) return false;
    }
  return true;
}

/// Advances by `strides` + 1 strides at once, and sets `before` to the runs one stride earlier. Returns
/// false, and changes nothing, if the last of these strides does not advance as those before.
///
/// A step is a max-plus map: convex, and a shift of all its inputs shifts its outputs equally. If two
/// strides advance x by D each, and another stride does so from x + nD, then so do all strides between:
/// their deviation is convex in the number of strides, and 0 at 0, 1 and n.
bool RingOfRuns::leap(Runs& before, int strides) {
  const Runs now = runs_;
  const Runs there = extrapolated({before, now}, strides);
  runs_ = there;
  const bool is_even =
      stride(nullptr) == steps_of_stride() && are_equal_advances({before, now}, {there, runs_});
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

/// Computes `steps` steps of one phase. Returns the number of steps computed, which is lower if there are too
/// many runs.
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
    const bool may_leap = watcher == nullptr || watcher->has_advanced_evenly_for(stride_steps);
    const bool is_even = may_leap && are_equal_advances({before, last}, {last, runs_});
    before = std::move(last);
    if (!is_even || !leap(before, strides)) {
      strides = 1;
      continue;
    }
    const int steps_leapt = (strides + 1) * stride_steps;
    if (watcher != nullptr) watcher->on_even_steps(steps_leapt);
    gone += steps_leapt;
    strides *= 2;
  }
  for (; gone < steps && step(); ++gone)
    if (watcher != nullptr) watcher->on_step();
  return gone;
}

}  // namespace starling
