#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_hops.hpp"
#include "algorithms/collectives/evaluation/rings/ring_legs.hpp"
#include "algorithms/collectives/evaluation/rings/step_rules.hpp"
#include "algorithms/collectives/evaluation/rings/step_times.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"

namespace starling {

/// All ranks of a ring whose hops repeat, as they do through hosts of as many workers each, kept as few runs
/// of ranks whose times differ by a shift only.
///
/// Ranks are in the order of the chunks that they send next: the rank that sends chunk c receives chunk c−1,
/// and sends that in the next step. So the ranks, and their hops, move on by one place per step. A block is
/// as many neighbors as there are hops before these repeat: one where all hops are alike; the last block may
/// be shorter. A run is a number of neighboring blocks of which each does all that the one before it does the
/// same time later. As the equations of a step only compare times and add to them, the inside of a run stays
/// a run from step to step.
///
/// Hops may be irregular here and there: one may be unlike the others, or follow a host with fewer workers.
/// Runs end at such hops, at another place in every step.
///
/// A step takes O(runs × ranks of a block). There are few runs where all ranks begin together, or one behind
/// the other as they come out of a ring with fewer chunks than ranks: a front that moves through the ring has
/// a run before it and one behind it, which a slow hop may pace. There are far more where latency keeps ranks
/// as far apart as they began; but then every step advances all times equally, and many steps are computed as
/// one if hops are regular.
class RingOfRuns {
 public:
  /// All must outlive this object.
  RingOfRuns(StepRules& rules, const RingHops& hops, const FreeRoutes& network);

  /// Whoever wants to see the messages of each step.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    /// One more step was computed; for_each_stretch() tells of it.
    virtual void went_a_step() = 0;
    /// So many more steps were computed as one: each advances all ranks as those before it did.
    virtual void went_evenly(int steps) = 0;
    /// Whether at least the last `steps` steps advanced all ranks equally.
    virtual bool goes_evenly_since(int steps) const = 0;
  };
  /// Takes the states of all ranks before `step`, in order of rank. False if they make too many runs. O(P).
  bool begin(const std::vector<RankState>& ranks, int step);
  /// Computes the steps from `step`, at which it is, to before `end_step`. Returns the step that it has come
  /// to, before `end_step` if there are too many runs. `watcher` may be null.
  int go(int step, int end_step, Watcher* watcher);
  /// The states of all ranks before `step`, at which it must be, in order of rank. O(P).
  std::vector<RankState> ranks(int step) const;

  /// What the ranks of a block do in a step, `shift_s` later than it says here.
  struct Block {
    const RankState* before;     // the step,
    const RankState* have_sent;  // and once they have sent in it
    const Sent* sent;
    const std::uint32_t* kinds_of_hops;
    const Legs* legs;           // by the kind of hop
    std::size_t ranks;          // that it has
    std::size_t larger_chunks;  // that it sends; its first ranks do
    double shift_s;

    std::size_t size(std::size_t place) const { return place < larger_chunks ? 1 : 0; }
    const Leg& leg(std::size_t place) const { return legs[kinds_of_hops[place]][size(place)]; }
  };
  /// Neighboring blocks of which each has sent everything in a step `shift_s` later than the one before it.
  struct Stretch {
    std::size_t first_block;
    int blocks;
    double shift_s;
    Block first;
  };
  /// Calls see() with all stretches of the last step, in order: every run without its last block, and that.
  template <typename See>
  void for_each_stretch(const See& see) const {
    const Runs& before = next_runs_;  // those before the step are kept here
    for (std::size_t i = 0; i < before.runs.size(); ++i) {
      const Run& run = before.runs[i];
      if (run.length > 1)
        see(Stretch{run.first_block, run.length - 1, run.shift_s, block_of(before, i, run.first_block)});
      see(Stretch{run.last_block(), 1, 0, block_of(before, i, run.last_block())});
    }
  }

 private:
  /// Neighboring blocks of which each has all times `shift_s` after those of the one before it.
  struct Run {
    std::size_t first_block;
    int length;                 // in blocks
    std::size_t larger_chunks;  // that each of them sends
    double shift_s;

    std::size_t last_block() const { return first_block + static_cast<std::size_t>(length) - 1; }
    /// How much later a block is than the known one that tells of it: the last itself, else the first.
    double shift_of(std::size_t block) const {
      return block == last_block() ? 0 : static_cast<double>(block - first_block) * shift_s;
    }
  };
  /// All ranks between two steps. Of every run two blocks are known, the first and the last (the same where
  /// it has one): the last does not gather the rounding of all shifts before it.
  struct Runs {
    std::vector<Run> runs;
    std::vector<RankState> states;  // of the known blocks, one after the other
    std::size_t first_hop = 0;      // of the rank that sends the first chunk
  };
  /// Where times are before and after some steps.
  struct Advance {
    const Runs& from;
    const Runs& to;
  };

  std::size_t number_of_blocks() const { return (ranks_ + block_size_ - 1) / block_size_; }
  std::size_t ranks_of(std::size_t block) const {
    return std::min(block_size_, ranks_ - block * block_size_);
  }
  /// With more runs it is faster to compute rank by rank; where many steps can be one, runs pay longer.
  std::size_t most_runs() const {
    return do_all_repeat_ ? number_of_blocks() / 16 + 16 : number_of_blocks() / 64 + 8;
  }
  int steps_of_stride() const;
  std::size_t known_hops() const { return kinds_of_hops_.size() / 2; }
  std::size_t larger_chunks(std::size_t block) const;
  /// Where the states of the known block that tells of a block of a run begin.
  std::size_t first_state(const Runs& runs, std::size_t run, std::size_t block) const {
    return (2 * run + (block == runs.runs[run].last_block() ? 1 : 0)) * block_size_;
  }
  Block block_of(const Runs& runs, std::size_t index, std::size_t block) const {
    const Run& run = runs.runs[index];
    const std::size_t first = first_state(runs, index, block);
    return {.before = &runs.states[first],
            .have_sent = have_sent_.data() + first,
            .sent = sent_.data() + first,
            .kinds_of_hops = &kinds_of_hops_[runs.first_hop + (do_all_repeat_ ? 0 : block * block_size_)],
            .legs = legs_.data(),
            .ranks = ranks_of(block),
            .larger_chunks = run.larger_chunks,
            .shift_s = run.shift_of(block)};
  }
  Block block_after(std::size_t run, std::size_t block) const;

  void send();
  void send_block(std::size_t run, std::size_t block);
  void find_next_states(std::size_t run, std::size_t block);
  void append_next_of(std::size_t run);
  /// False if there would be too many runs; nothing has changed then.
  bool step();

  void begin_next(std::size_t first_hop);
  bool do_hops_change_at(std::size_t block) const;
  int alike_from(std::size_t block, int length) const;
  void append(std::size_t block, int length);
  void append_alike(std::size_t block, int length, const std::vector<RankState>& last);
  bool lengthen_last_run(int length, const std::vector<RankState>& last);

  int stride(Watcher* watcher);
  Runs extrapolated(const Advance& advance, int strides) const;
  static bool are_equal_advances(const Advance& one, const Advance& other);
  bool leap(Runs& before, int strides);
  int go_in_phase(int steps, Watcher* watcher);

  StepRules& rules_;
  const FreeRoutes& network_;
  std::size_t ranks_;
  std::size_t block_size_;                    // in ranks
  bool do_all_repeat_;                        // hops, all around the ring
  std::vector<std::size_t> changes_;          // RingHops::changes()
  std::vector<Legs> legs_;                    // by the kind of hop
  std::vector<std::uint32_t> kinds_of_hops_;  // of a block where all repeat, else of the ring; twice
  double reduction_s_per_byte_ = 0;
  Runs runs_;
  // What becomes of their known blocks in a step:
  std::vector<RankState> have_sent_;
  std::vector<Sent> sent_;
  // Those after the step, and which of their blocks have hops that are not as those of the block before:
  Runs next_runs_;
  std::vector<std::size_t> changed_blocks_;  // in order
  // States after a step of the blocks that append() gets: of the first, of the last, and of the last before
  // hops change.
  std::vector<RankState> next_first_;
  std::vector<RankState> next_last_;
  std::vector<RankState> before_change_;
};

/// Computes all steps of a ring from `step` to before `end_step`: as runs while there are few of them, else
/// rank by rank. A late rank holds up more ranks from step to step, which then are alike: where ranks begin
/// apart, about P/s of them differ after s steps, so runs are tried again after 16, 32, 64, … steps. Calls
/// as_runs(runs, step), which returns the step that the runs have come to, and rank_by_rank(ranks, step, end
/// step), which returns the states of the ranks before that end. Returns those before `end_step`.
template <typename AsRuns, typename RankByRank>
std::vector<RankState> after_steps(StepRules& rules, const RingHops& hops, const FreeRoutes& network,
                                   std::vector<RankState> ranks, int step, int end_step,
                                   const AsRuns& as_runs, const RankByRank& rank_by_rank) {
  if (!hops.has_many_blocks()) return rank_by_rank(std::move(ranks), step, end_step);
  RingOfRuns runs(rules, hops, network);
  constexpr int first_steps_apart = 16;
  for (int steps_apart = first_steps_apart;; steps_apart *= 2) {
    if (runs.begin(ranks, step)) {
      step = as_runs(runs, step);
      ranks = runs.ranks(step);
    }
    if (step == end_step) return ranks;
    const int again = step + std::min(steps_apart, end_step - step);
    ranks = rank_by_rank(std::move(ranks), step, again);
    step = again;
  }
}

}  // namespace starling
