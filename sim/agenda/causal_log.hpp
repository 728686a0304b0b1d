#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/fetch.hpp"
#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/explanation.hpp"

namespace starling {

/// The causal log of a run. A step is an interval of time: it begins when another step, its cause, ends, and
/// has an end of its own. Following the causes backward from a step gives its critical path: what had to be
/// faster for the step to end sooner.
///
/// What strands do between one entry of the agenda and the next is caused by the former. What waits for its
/// turn at a busy resource is caused by the step that occupied the resource before. Reference: Yang, Miller,
/// "Critical path analysis for the execution of parallel and distributed programs", ICDCS 1988.
///
/// A step takes 16 bytes until it is forgotten, and a few nanoseconds.
class CausalLog {
 public:
  /// The number of a step, counted from the start of the run. Step 0 ended at time 0.
  using Index = std::uint64_t;

  struct Step {
    double end_s = 0;
    Index cause = 0;
    Blame blame;
  };
  /// A Blame packed into 4 bytes.
  enum class PackedBlame : std::uint32_t {};

  /// The last step of a serial resource, and its end.
  struct Turn {
    Index step = 0;
    double end_s = 0;
  };

  /// An evaluated collective: the first of its steps, and the explanation of all of them.
  struct Outcomes {
    Index first;
    std::unique_ptr<Explanation> explanation;
  };

  /// The default limit of steps kept: 1 GiB.
  static constexpr std::size_t most_steps = std::size_t{1} << 26;

  /// Keeps at most `steps` steps at a time. When a further step would exceed that, recording stops for good
  /// and is_full() is true.
  explicit CausalLog(std::size_t steps = most_steps);

  /// Adds the step that ends at `end_s` and began when its cause ended. Latency becomes a step of its own,
  /// the last.
  Index add(double end_s, Index cause, const Blame& blame) {
    if (blame.latency_s > 0) return add_with_latency(end_s, cause, blame);
    return add(end_s, cause, pack(blame.on, blame.who));
  }
  /// Adds the step that ends at `end_s` and began when its cause ended. Latency does not become a step of
  /// its own.
  Index add(double end_s, Index cause, PackedBlame blame) {
    if (place_ == end_of_chunk_ && !add_chunk()) [[unlikely]]
      return current_;
    latest_s_ = std::max(latest_s_, end_s);
    *place_++ = {end_s, static_cast<std::uint32_t>(std::min(farthest, next_ - cause)), blame};
    return next_++;
  }
  /// The packed form of a blame without latency.
  static PackedBlame pack(SpentOn on, std::int32_t who) {
    return PackedBlame{static_cast<std::uint32_t>(who) << on_bits | static_cast<std::uint32_t>(on)};
  }
  /// The packed form of a blame that many steps share: a blame with latency permanently takes an entry of a
  /// table.
  PackedBlame pack(const Blame& blame);

  /// Makes `step` the cause of everything that is done from now on.
  void set_current(Index step) { set_current(step, look_it_up_s); }
  /// Adds a step that ends now and makes it the current one: the time since the end of `cause` was spent as
  /// `blame` says.
  void happen_now(double now_s, Index cause, const Blame& blame) {
    set_current(add(now_s, cause, blame), now_s);
  }
  /// As above, but adds the step only once another step has it as its cause.
  void happen_now(double now_s, Index cause, PackedBlame blame) {
    current_s_ = now_s;
    is_added_ = false;
    to_add_ = {now_s, cause, blame};
  }
  /// Adds the results of a collective that was evaluated as a whole: one step for each of `end_s`, ending
  /// then, whose cause only `explanation` knows. The steps are numbered consecutively. Returns the first
  /// number, or 0 if the log is full.
  Index add_outcomes(std::span<const double> end_s, std::unique_ptr<Explanation> explanation);
  /// For what the current step causes from now on, the transmission that ends now with it counts as one on
  /// `link`. What it has caused before keeps its cause. Does nothing if no transmission ends now.
  void blame_transmission_on(std::int32_t link, double now_s);
  /// Records that `action` will happen when `step` ends.
  static void ends(TimedAction& action, Index step);
  Index current() {
    if (!is_added_) add_current();
    return current_;
  }
  /// The current step, extended to now: if it ended earlier, a step from its end until now, spent on
  /// something unknown, is added and becomes the current one.
  Index current(double now_s) {
    if (!is_added_) add_current();
    if (current_s_ < now_s) [[unlikely]]
      find_current(now_s);
    return current_;
  }

  /// Records that `action` will happen at `time_s` because of the current step, and that the time until then
  /// is spent as `blame` says. `turn` is the last step of the serial resource that serves the action, or
  /// null. Must not be called again for the action before it has happened.
  void because(double now_s, double time_s, TimedAction& action, Blame blame, Turn* turn);
  /// because() for an action delayed by latency only, `latency_s`.
  void because_of_latency(double now_s, double time_s, TimedAction& action, double latency_s);
  /// Attributes the last `last_s` seconds before an action to `blame`, which must have no latency. The
  /// action's step was just recorded and must be at least that long.
  void blame_last(TimedAction& action, double last_s, const Blame& blame);
  /// An action happens now: makes the step that ends with it, if one is recorded, the current one.
  void happens(double now_s, std::uint32_t& ended_step) {
    if (ended_step != 0) set_current(step_of(std::exchange(ended_step, 0)), now_s);
  }

  /// The first step that has not been forgotten, and the number of steps from there on.
  Index first() const { return first_; }
  std::size_t known() const { return next_ - first_; }
  /// Whether the step has not been forgotten.
  bool knows(Index step) const { return step >= first_; }
  double end_s(Index step) const { return at(step).end_s; }
  /// Whether the step is an outcome of an evaluation, so that only an explanation knows its cause.
  bool is_outcome(Index step) const { return at(step).blame == outcome_blame; }
  /// The evaluation that the outcome `step` belongs to.
  const Outcomes& outcomes_of(Index step) const;
  Step step(Index step) const {
    const PackedStep& packed = at(step);
    return {packed.end_s, step - packed.back_to_cause, unpack(packed.blame)};
  }

  /// The rank, other than `but`, that was the last to compute or to be delayed on the path from `step` back
  /// to `since_s`; −1 if there was none, or if it is not known. O(steps of the path).
  std::int32_t last_at_work(Index step, double since_s, std::int32_t but) const;

  /// Prefetches the cause of a known step.
  void fetch_cause(Index step) const {
    const Index cause = step - at(step).back_to_cause;
    if (knows(cause)) fetch(&at(cause));
  }

  /// Forgets the oldest steps, in whole chunks, that all ended by `time_s`.
  void forget_until(double time_s);
  bool is_full() const { return is_full_; }

  /// Called when a rank has ended an iteration, with the step that ended it.
  std::function<void(Rank rank, double end_s, Index step)> iteration_ended;

 private:
  struct PackedStep {
    double end_s = 0;
    std::uint32_t back_to_cause = 0;  // distance in steps; `farthest` or more: the cause is forgotten
    PackedBlame blame = {};
  };
  static constexpr Index farthest = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t chunk_steps = std::size_t{1} << 11;
  struct Chunk {
    std::array<PackedStep, chunk_steps> steps;
    double latest_s = 0;  // the latest end of its steps, set once the chunk is full
  };

  static constexpr double look_it_up_s = -1;
  void set_current(Index step, double now_s) {
    current_ = step;
    current_s_ = now_s;
    is_added_ = true;
  }
  void add_current() {
    current_ = add(to_add_.end_s, to_add_.cause, to_add_.blame);
    is_added_ = true;
  }

  /// The layout of a PackedBlame. The low on_bits hold SpentOn, with the rank or link above them; or they
  /// are `in_table`, with above them the index of an additional latency (more_bits; 0: none) and the index
  /// of a Blame in table_.
  static constexpr int on_bits = 4;
  static constexpr int more_bits = 3;
  static constexpr std::uint32_t in_table = (1U << on_bits) - 1;
  static constexpr PackedBlame outcome_blame{in_table - 1};
  static_assert(static_cast<std::uint32_t>(SpentOn::unknown) < in_table - 1);

  const PackedStep& at(Index step) const {
    return chunks_[(step - first_) / chunk_steps]->steps[step % chunk_steps];
  }
  PackedStep& at(Index step) { return chunks_[(step - first_) / chunk_steps]->steps[step % chunk_steps]; }
  /// Without branches, which would be mispredicted: the kind of blame changes from step to step.
  Blame unpack(PackedBlame blame) const {
    const auto packed = static_cast<std::uint32_t>(blame);
    const std::uint32_t above = packed >> on_bits;
    const std::uint32_t on = packed & in_table;
    const bool is_in_table = on == in_table;
    const Blame& known = table_[is_in_table ? above >> more_bits : 0];
    const double more_s = more_latency_s_[is_in_table ? above & most_more : 0];
    return {is_in_table ? known.on : static_cast<SpentOn>(on),
            is_in_table ? known.who : static_cast<std::int32_t>(above), known.latency_s + more_s};
  }
  /// The latest step whose number ends in these 32 bits. No action stays pending while 2³² further steps are
  /// added.
  Index step_of(std::uint32_t last_bits) const {
    return next_ - static_cast<std::uint32_t>(static_cast<std::uint32_t>(next_) - last_bits);
  }
  Index add_with_latency(double end_s, Index cause, const Blame& blame);
  bool add_latency(PackedBlame& blame, double latency_s);
  std::uint32_t number_in_table(const Blame& blame);
  bool add_chunk();
  void find_current(double now_s);

  std::size_t most_chunks_;
  Index first_ = 0;  // the first step kept; begins a chunk
  Index next_ = 0;
  PackedStep* place_ = nullptr;  // of the next step, in the last chunk
  PackedStep* end_of_chunk_ = nullptr;
  double latest_s_ = 0;  // the latest end of the steps of the last chunk
  Index current_ = 0;
  double current_s_ = look_it_up_s;  // the end of the current step, if it was given
  bool is_added_ = true;             // false: the current step is still to be added:
  struct {
    double end_s;
    Index cause;
    PackedBlame blame;
  } to_add_ = {};
  bool is_full_ = false;
  std::vector<Blame> table_ = {Blame{}};
  static constexpr std::uint32_t most_more = (1U << more_bits) - 1;
  std::array<double, most_more + 1> more_latency_s_ = {};  // index 0: none
  std::uint32_t known_more_ = 1;                           // entries of more_latency_s_ in use
  std::map<std::tuple<SpentOn, std::int32_t, double>, std::uint32_t> in_table_;
  std::vector<std::uint32_t> last_in_table_;  // by Blame::who; 0 for none
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<Chunk>> spare_;
  std::deque<Outcomes> outcomes_;  // ascending by their first steps
};

}  // namespace starling
