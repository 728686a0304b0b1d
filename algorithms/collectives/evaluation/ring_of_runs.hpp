#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/collectives/evaluation/ring_step.hpp"

namespace starling {

/// All ranks of a ring whose hops are alike, in the order of the chunks that they send next: the one who
/// sends chunk c receives chunk c−1, and sends that in the next step. So everyone stands still with respect
/// to chunks but moves on by one, and neighbors that are equally far apart are kept as one run: as the
/// equations of a step only compare times and add to them, the inside of a run stays one.
///
/// A step takes O(runs). There are a few where all begin together, or one behind the other as they come out
/// of a ring with fewer chunks than ranks: a front that runs through the ring has a run before and one behind
/// it. Far more are those where latency keeps ranks as far apart as they began: but then all goes on evenly,
/// and many steps are one.
class RingOfRuns {
 public:
  RingOfRuns(StepRules& rules, const Legs& legs, int ranks) : rules_(rules), legs_(legs), ranks_(ranks) {}

  /// Takes up the ranks before that step. False if they make too many runs.
  bool begin(const std::vector<RankState>& ranks, int step);
  /// Goes on by so many steps, which all reduce alike. Returns how many it has gone: fewer where there are
  /// too many runs.
  int go(int steps, double reduction_s_per_byte);
  std::vector<RankState> ranks(int step) const;

 private:
  /// Neighbors of whom each has all times the same shift after the one before.
  struct Run {
    int length;
    std::size_t size;  // of the chunks they send
    RankState first;
    RankState last;
    double shift_s = 0;
  };
  using Runs = std::vector<Run>;
  /// What the first and the last of a run do in a step, and what the last of the run before has sent.
  struct Sending {
    RankState first_state;
    RankState last_state;
    Sent first;
    Sent last;
  };

  std::size_t most_runs() const { return static_cast<std::size_t>(ranks_) / 16 + 16; }
  /// Puts a run that begins at that position behind the others, or makes it part of the last one.
  void append(int position, int length, const RankState& first, const RankState& last);
  void append(int position, const RankState& one) { append(position, 1, one, one); }
  Sending send(const Run& run, double right_begin_s);
  /// The state after a step of one that was in `before`, has then sent, and receives a chunk of `left_size`.
  RankState next(const RankState& before, const RankState& now, const Run& run, const Sent& sent,
                 std::size_t left_size, double arrival_s);
  void go_on(const Run& run, const Sending& own, int position);
  /// False if there are too many runs: the state is that before the step then.
  bool step();
  static Runs far_on(const Runs& before, const Runs& now, int strides);
  static bool is_as_far(const Runs& before, const Runs& now, const Runs& other_before, const Runs& other);
  int stride();
  bool leap(Runs& before, int strides);

  StepRules& rules_;
  Legs legs_;
  int ranks_;
  double reduction_s_per_byte_ = 0;
  Runs runs_;
  Runs next_runs_;
  std::vector<Sending> sendings_;
};

}  // namespace starling
