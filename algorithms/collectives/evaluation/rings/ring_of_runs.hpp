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

/// All ranks of a ring whose hops repeat, as in a ring through hosts with equally many workers, stored as few
/// runs of ranks whose times differ only by a constant shift.
///
/// Ranks are ordered by the chunks that they send next: the rank that sends chunk c receives chunk c−1, and
/// sends it in the next step. So in every step each rank, with its hop, moves on by one place. A block is
/// as many neighboring ranks as there are hops before the hops repeat: one rank if all hops are alike; the
/// last block may be shorter. A run consists of neighboring blocks; each block does everything that the
/// block before it does, the same time later. As the equations of a step only compare times and add to
/// them, the inside of a run remains a run from step to step.
///
/// A few hops may be irregular: a hop may differ from the others, or follow a host with fewer workers. Runs
/// end at such hops, at a different place in every step.
///
/// A step takes O(runs × ranks of a block). There are few runs if all ranks begin together, or one after
/// the other as after a ring with fewer chunks than ranks: a front that moves through the ring, possibly at
/// the pace of a slow hop, has one run ahead of it and one behind it. There are far more runs if latency
/// keeps ranks as far apart as they began; but then every step advances all times equally, and, if hops are
/// regular, many steps are computed as one.
class RingOfRuns {
 public:
  /// All must outlive this object.
  RingOfRuns(StepRules& rules, const RingHops& hops, const FreeRoutes& network);

  /// An observer of the messages of each step.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    /// One more step has been computed; for_each_stretch() describes it.
    virtual void on_step() = 0;
    /// `steps` more steps have been computed at once; each advances all ranks as the steps before it did.
    virtual void on_even_steps(int steps) = 0;
    /// Whether at least the last `steps` steps advanced all ranks equally.
    virtual bool has_advanced_evenly_for(int steps) const = 0;
  };
  /// Sets the states of all ranks before `step`, in rank order. Returns false if they form too many runs.
  /// O(P).
  bool begin(const std::vector<RankState>& ranks, int step);
  /// Computes the steps from `step`, which must be the next one, to before `end_step`. Returns the step
  /// that it has reached, which is before `end_step` if there are too many runs. `watcher` may be null.
  int go(int step, int end_step, Watcher* watcher);
  /// The states of all ranks before `step`, which must be the next one, in rank order. O(P).
  std::vector<RankState> ranks(int step) const;

  /// What the ranks of a block do in a step. All times are `shift_s` later than those stored here.
  struct Block {
    const RankState* before;             // by place: states before the step,
    const RankState* have_sent;          // and after the sends of the step
    const Sent* sent;                    // by place
    const std::uint32_t* kinds_of_hops;  // by place
    const Legs* legs;                    // by the kind of hop
    std::size_t ranks;                   // number of ranks in the block
    std::size_t larger_chunks;           // the first so many of them send larger chunks
    double shift_s;

    std::size_t size(std::size_t place) const { return place < larger_chunks ? 1 : 0; }
    const Leg& leg(std::size_t place) const { return legs[kinds_of_hops[place]][size(place)]; }
  };
  /// Neighboring blocks, each of which sends all its messages of a step `shift_s` later than the block
  /// before it.
  struct Stretch {
    std::size_t first_block;
    int blocks;
    double shift_s;
    Block first;
  };
  /// Calls see() with all stretches of the last step, in order. Every run makes two: all its blocks but the
  /// last, if there are any, and the last block.
  template <typename See>
  void for_each_stretch(const See& see) const {
    const Runs& before = next_runs_;  // holds the runs before the step
    for (std::size_t i = 0; i < before.runs.size(); ++i) {
      const Run& run = before.runs[i];
      if (run.length > 1)
        see(Stretch{run.first_block, run.length - 1, run.shift_s, block_of(before, i, run.first_block)});
      see(Stretch{run.last_block(), 1, 0, block_of(before, i, run.last_block())});
    }
  }

 private:
  /// Neighboring blocks, each of which has all times `shift_s` after those of the block before it.
  struct Run {
    std::size_t first_block;
    int length;                 // in blocks
    std::size_t larger_chunks;  // sent by each block
    double shift_s;

    std::size_t last_block() const { return first_block + static_cast<std::size_t>(length) - 1; }
    /// How much later a block is than the stored block that represents it: the last block represents
    /// itself, the first block all others.
    double shift_of(std::size_t block) const {
      return block == last_block() ? 0 : static_cast<double>(block - first_block) * shift_s;
    }
  };
  /// All ranks between two steps. Two blocks of every run are stored ("known"): the first and the last, which
  /// may be the same. The last is stored so that it does not accumulate the rounding of all shifts before it.
  struct Runs {
    std::vector<Run> runs;
    std::vector<RankState> states;  // of the known blocks, block after block
    std::size_t first_hop = 0;      // hop of the rank that sends chunk 0
  };
  /// The runs before and after some steps.
  struct Advance {
    const Runs& from;
    const Runs& to;
  };

  std::size_t number_of_blocks() const { return (ranks_ + block_size_ - 1) / block_size_; }
  std::size_t ranks_of(std::size_t block) const {
    return std::min(block_size_, ranks_ - block * block_size_);
  }
  /// The number of runs above which computing rank by rank is faster. It is higher if many steps can be
  /// computed as one.
  std::size_t most_runs() const {
    return do_all_repeat_ ? number_of_blocks() / 16 + 16 : number_of_blocks() / 64 + 8;
  }
  int steps_of_stride() const;
  std::size_t known_hops() const { return kinds_of_hops_.size() / 2; }
  std::size_t larger_chunks(std::size_t block) const;
  /// The index in Runs::states of the known block that represents `block` of a run.
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
  /// Computes a step. Returns false, with runs_ unchanged, if there would be too many runs after it.
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
  bool do_all_repeat_;                        // hops repeat all around the ring, without exceptions
  std::vector<std::size_t> changes_;          // RingHops::changes()
  std::vector<Legs> legs_;                    // by the kind of hop
  std::vector<std::uint32_t> kinds_of_hops_;  // of a block if do_all_repeat_, else of the ring; stored twice
  double reduction_s_per_byte_ = 0;
  Runs runs_;
  // The known blocks of runs_ after the sends of a step, and their messages:
  std::vector<RankState> have_sent_;
  std::vector<Sent> sent_;
  // The runs after the step (between steps: before the last one), and their blocks whose hops differ from
  // those of the block before:
  Runs next_runs_;
  std::vector<std::size_t> changed_blocks_;  // ascending
  // Arguments of append(): states after a step of the first and of the last block; and its scratch memory,
  // the last block before hops change.
  std::vector<RankState> next_first_;
  std::vector<RankState> next_last_;
  std::vector<RankState> before_change_;
};

/// Computes all steps of a ring from `step` to before `end_step`: as runs while there are few of them, else
/// rank by rank. A late rank delays more ranks from step to step, which then are alike: if ranks begin at
/// different times, about P/s of them differ after s steps, so runs are tried again after 16, 32, 64, …
/// steps. Calls as_runs(runs, step), which returns the step that the runs have reached, and
/// rank_by_rank(ranks, step, end step), which returns the states of the ranks before that end step. Returns
/// the states before `end_step`.
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
