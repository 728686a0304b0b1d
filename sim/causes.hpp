#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "sim/agenda.hpp"

namespace starling {

/// What time may be spent on. Of compute to timer a rank is to blame, of a link that link, of the others
/// nobody.
enum class SpentOn : std::uint8_t { compute, delay, reduction, overhead, timer, link, latency, unknown };

struct Blame {
  SpentOn on = SpentOn::unknown;
  std::int32_t who = 0;  // the rank, or the LinkIndex
  double latency_s = 0;  // of the time, that is latency; the rest is spent on what `on` says
};

/// Why things happen when they do: every step ends at a moment, and began when another ended, its cause.
///
/// Whatever strands do between two entries of the agenda, they do because of the first of these, so that the
/// entry that happened last is the cause of what they put on the agenda; what waits for its turn at something
/// busy has the step before it there as cause. From a step back to its cause, and so on, leads what had to be
/// quicker for it to have come sooner: the critical path. Reference: Yang, Miller, "Critical path analysis
/// for the execution of parallel and distributed programs", ICDCS 1988.
///
/// A step costs 32 bytes until it is forgotten, and some nanoseconds.
class Causes {
 public:
  /// Counts the steps of a run; that of number 0 ended at time 0.
  using Index = std::uint64_t;

  struct Step {
    double end_s = 0;
    Index cause = 0;
    Blame blame;
  };

  /// Keeps at most so many steps at a time; with more it notices no more of them, and is_full().
  explicit Causes(std::size_t most_steps = std::size_t{1} << 26);

  /// The step that ends at `end_s` and began when its cause ended.
  Index add(double end_s, Index cause, Blame blame) {
    if (place_ == end_of_chunk_) [[unlikely]]
      add_chunk();
    if (is_full_) [[unlikely]]
      return current_;
    latest_s_ = std::max(latest_s_, end_s);
    *place_++ = {end_s, cause, blame};
    return next_++;
  }
  /// Whatever is done now is done because of this step.
  void set_current(Index step) {
    current_ = step;
    current_s_ = look_it_up_s;
  }
  /// The same of a step that ends now.
  void set_current(Index step, double now_s) {
    current_ = step;
    current_s_ = now_s;
  }
  Index current() const { return current_; }
  /// The same; must end now.
  Index current(double now_s) {
    if (current_s_ < now_s) [[unlikely]]
      find_current(now_s);
    return current_;
  }

  /// What to put on the agenda in place of an action that happens then, so that its cause is known. `turn` is
  /// the last step of something that does one thing after the other, which this is now; it may be null.
  TimedAction& because(double now_s, double time_s, TimedAction& action, Blame blame, Index* turn);

  /// The first step that has not been forgotten, and how many there are from it on.
  Index first() const { return first_; }
  std::size_t known() const { return next_ - first_; }
  /// Whether the step has not been forgotten.
  bool knows(Index step) const { return step >= first_; }
  const Step& step(Index step) const {
    return chunks_[(step - first_) / chunk_steps]->steps[step % chunk_steps];
  }

  /// Forgets steps that ended until then, and those before them.
  void forget_until(double time_s);
  bool is_full() const { return is_full_; }

  /// Called when a rank has ended an iteration, with the step that let it.
  std::function<void(Rank rank, double end_s, Index step)> iteration_ended;

 private:
  static constexpr std::size_t chunk_steps = std::size_t{1} << 11;
  struct Chunk {
    std::array<Step, chunk_steps> steps;
    double latest_s = 0;  // at which one of them ends, once it is full
  };

  /// An action on the agenda, and the step that ends when it happens.
  struct Caused final : TimedAction {
    void happen() override;
    void prepare() const override { action->prepare(); }

    Causes* causes = nullptr;
    TimedAction* action = nullptr;
    Index step = 0;
    double end_s = 0;  // of the step
    Caused* next_unused = nullptr;
  };

  static constexpr double look_it_up_s = -1;

  void add_chunk();
  void find_current(double now_s);

  std::size_t most_chunks_;
  Index first_ = 0;  // that is kept; the first of a chunk
  Index next_ = 0;
  Step* place_ = nullptr;  // of the next, in the last chunk
  Step* end_of_chunk_ = nullptr;
  double latest_s_ = 0;  // at which one of the last chunk ends
  Index current_ = 0;
  double current_s_ = look_it_up_s;  // at which it ended, as far as that was said
  bool is_full_ = false;
  std::deque<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<Chunk>> spare_;
  std::deque<Caused> actions_;
  Caused* unused_ = nullptr;
};

}  // namespace starling
