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

/// The causal log of a run. A step is a stretch of time: it begins when another step, its cause, ends, and
/// ends at a moment of its own. Following causes backward from a step gives its critical path: what had to be
/// quicker for it to end sooner.
///
/// What strands do after an entry of the agenda has happened, and before the next one does, is caused by that
/// entry. What waits for its turn at a busy resource is caused by the step that occupied it before.
/// Reference: Yang, Miller, "Critical path analysis for the execution of parallel and distributed programs",
/// ICDCS 1988.
///
/// A step takes 16 bytes until it is forgotten, and a few nanoseconds.
class Causes {
 public:
  /// Counts the steps of a run; that of number 0 ended at time 0.
  using Index = std::uint64_t;

  struct Step {
    double end_s = 0;
    Index cause = 0;
    Blame blame;
  };
  /// What is to blame, in 4 bytes.
  enum class PackedBlame : std::uint32_t {};

  /// The last step of something that does one thing after the other.
  struct Turn {
    Index step = 0;
    double end_s = 0;
  };

  /// What was evaluated, and the first of its steps.
  struct Outcomes {
    Index first;
    std::unique_ptr<Explanation> explanation;
  };

  /// What is kept unless someone asks for less: 1 GiB.
  static constexpr std::size_t most_steps = std::size_t{1} << 26;

  /// Keeps at most so many steps at a time; with more it notices no more of them, and is_full().
  explicit Causes(std::size_t steps = most_steps);

  /// The step that ends at `end_s` and began when its cause ended. Latency is a step of its own, the last.
  Index add(double end_s, Index cause, const Blame& blame) {
    if (blame.latency_s > 0) return add_with_latency(end_s, cause, blame);
    return add(end_s, cause, pack(blame.on, blame.who));
  }
  /// The step that ends at `end_s` and began when its cause ended. Latency is no step of its own.
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
  /// The packed form of a blame that many steps have in common: latency takes an entry of a table, for good.
  PackedBlame pack(const Blame& blame);

  /// Whatever is done now is done because of this step.
  void set_current(Index step) { set_current(step, look_it_up_s); }
  /// What happens now ends a step, which becomes the current one: the time since the end of its cause was
  /// spent on what is to blame.
  void happen_now(double now_s, Index cause, const Blame& blame) {
    set_current(add(now_s, cause, blame), now_s);
  }
  /// As above, but the step is added only once something has it as its cause.
  void happen_now(double now_s, Index cause, PackedBlame blame) {
    current_s_ = now_s;
    is_added_ = false;
    to_add_ = {now_s, cause, blame};
  }
  /// Adds the results of something that was evaluated as a whole: one step for each of end_s, ending then,
  /// whose cause only `explanation` knows. They are numbered consecutively; returns the first number, 0 if
  /// the log is full.
  Index add_outcomes(std::span<const double> end_s, std::unique_ptr<Explanation> explanation);
  /// The action will happen when that step ends.
  static void ends(TimedAction& action, Index step);
  Index current() {
    if (!is_added_) add_current();
    return current_;
  }
  /// The current step, which must end now: if it ended before, another one up to now that was spent on
  /// nothing known.
  Index current(double now_s) {
    if (!is_added_) add_current();
    if (current_s_ < now_s) [[unlikely]]
      find_current(now_s);
    return current_;
  }

  /// Records that `action` will happen at `time_s` because of what is done now, and that the time until then
  /// is spent as `blame` says. `turn`: the last step of the resource that is busy with it; may be null. Not
  /// to be called again for the action before it has happened.
  void because(double now_s, double time_s, TimedAction& action, Blame blame, Turn* turn);
  /// because() where the time until then is latency, of `latency_s`.
  void because_of_latency(double now_s, double time_s, TimedAction& action, double latency_s);
  /// The last `last_s` before an action, whose step was just recorded and is at least as long, are spent as
  /// `blame` says, which has no latency.
  void blame_last(TimedAction& action, double last_s, const Blame& blame);
  /// An action happens now: what it does is done because of the step that ends with it, if one is known.
  void happens(double now_s, std::uint32_t& ended_step) {
    if (ended_step != 0) set_current(step_of(std::exchange(ended_step, 0)), now_s);
  }

  /// The first step that has not been forgotten, and how many there are from it on.
  Index first() const { return first_; }
  std::size_t known() const { return next_ - first_; }
  /// Whether the step has not been forgotten.
  bool knows(Index step) const { return step >= first_; }
  double end_s(Index step) const { return at(step).end_s; }
  /// Whether only its explanation knows its cause.
  bool is_outcome(Index step) const { return at(step).blame == outcome_blame; }
  /// The outcomes that the step is one of.
  const Outcomes& outcomes_of(Index step) const;
  Step step(Index step) const {
    const PackedStep& packed = at(step);
    return {packed.end_s, step - packed.back_to_cause, unpack(packed.blame)};
  }

  /// Which rank, other than `but`, was the last to compute or to be delayed on the way from the step back to
  /// `since_s`; −1 if none was, or it is not known. O(steps on the way).
  std::int32_t last_at_work(Index step, double since_s, std::int32_t but) const;

  /// Asks for the memory of the cause of a known step, which will be looked at soon.
  void fetch_cause(Index step) const {
    const Index cause = step - at(step).back_to_cause;
    if (knows(cause)) fetch(&at(cause));
  }

  /// Forgets steps that ended until then, and those before them.
  void forget_until(double time_s);
  bool is_full() const { return is_full_; }

  /// Called when a rank has ended an iteration, with the step that let it.
  std::function<void(Rank rank, double end_s, Index step)> iteration_ended;

 private:
  struct PackedStep {
    double end_s = 0;
    std::uint32_t back_to_cause = 0;  // so many steps, or at least `farthest`: it has been forgotten
    PackedBlame blame = {};
  };
  static constexpr Index farthest = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t chunk_steps = std::size_t{1} << 11;
  struct Chunk {
    std::array<PackedStep, chunk_steps> steps;
    double latest_s = 0;  // at which one of them ends, once it is full
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

  /// The rank or link above the bits that say on what, or the number in the table of those with latency,
  /// above the number of what more of that there is.
  static constexpr int on_bits = 4;
  static constexpr int more_bits = 3;
  static constexpr std::uint32_t in_table = (1U << on_bits) - 1;
  static constexpr PackedBlame outcome_blame{in_table - 1};
  static_assert(static_cast<std::uint32_t>(SpentOn::unknown) < in_table - 1);

  const PackedStep& at(Index step) const {
    return chunks_[(step - first_) / chunk_steps]->steps[step % chunk_steps];
  }
  PackedStep& at(Index step) { return chunks_[(step - first_) / chunk_steps]->steps[step % chunk_steps]; }
  /// Without branches: what paths were spent on changes from step to step.
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
  /// The last step of which these are the last bits: no action waits until 2³² more are known.
  Index step_of(std::uint32_t last_bits) const {
    return next_ - static_cast<std::uint32_t>(static_cast<std::uint32_t>(next_) - last_bits);
  }
  Index add_with_latency(double end_s, Index cause, const Blame& blame);
  bool add_latency(PackedBlame& blame, double latency_s);
  std::uint32_t number_in_table(const Blame& blame);
  bool add_chunk();
  void find_current(double now_s);

  std::size_t most_chunks_;
  Index first_ = 0;  // that is kept; the first of a chunk
  Index next_ = 0;
  PackedStep* place_ = nullptr;  // of the next, in the last chunk
  PackedStep* end_of_chunk_ = nullptr;
  double latest_s_ = 0;  // at which one of the last chunk ends
  Index current_ = 0;
  double current_s_ = look_it_up_s;  // at which it ended, as far as that was said
  bool is_added_ = true;             // else it is the next one to add:
  struct {
    double end_s;
    Index cause;
    PackedBlame blame;
  } to_add_ = {};
  bool is_full_ = false;
  std::vector<Blame> table_ = {Blame{}};
  static constexpr std::uint32_t most_more = (1U << more_bits) - 1;
  std::array<double, most_more + 1> more_latency_s_ = {};  // the first is none
  std::uint32_t known_more_ = 1;                           // of these
  std::map<std::tuple<SpentOn, std::int32_t, double>, std::uint32_t> in_table_;
  std::vector<std::uint32_t> last_in_table_;  // by who; 0 for none
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<Chunk>> spare_;
  std::deque<Outcomes> outcomes_;  // the first step of each is in order
};

}  // namespace starling
