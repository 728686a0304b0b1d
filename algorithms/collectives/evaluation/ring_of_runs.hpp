#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/ring_step.hpp"

namespace starling {

/// All ranks of a ring whose hops repeat, as they do through hosts of as many workers each, in the order of
/// the chunks that they send next: the one who sends chunk c receives chunk c−1, and sends that in the next
/// step. So everyone stands still with respect to chunks but moves on by one, and so do hops. A block is as
/// many neighbors as there are hops before they repeat, one where all are alike; the last one may be shorter.
/// Neighboring blocks that are equally far apart are kept as one run: as the equations of a step only compare
/// times and add to them, the inside of a run stays one.
///
/// Hops may change here and there, at one that is unlike the others or behind a host with fewer workers. Runs
/// end where they do, at another place in every step.
///
/// A step takes O(runs × ranks of a block). There are a few where all begin together, or one behind the other
/// as they come out of a ring with fewer chunks than ranks: a front that runs through the ring has a run
/// before it and one behind, which a slow hop may pace. Far more are those where latency keeps ranks as far
/// apart as they began: but then all goes on evenly, and many steps are one, if hops do not change.
class RingOfRuns {
 public:
  /// All must outlive this object.
  RingOfRuns(StepRules& rules, const RingHops& hops, const FreeRoutes& network);

  /// Whoever wants to see the messages of each step.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    /// One more step, of which for_each_stretch() tells.
    virtual void went_a_step() = 0;
    /// So many more, in which all ranks go on as far apart in time as before, step by step.
    virtual void went_evenly(int steps) = 0;
    /// Whether they have done so since that many steps.
    virtual bool goes_evenly_since(int steps) const = 0;
  };
  /// Takes up the ranks before that step. False if they make too many runs.
  bool begin(const std::vector<RankState>& ranks, int step);
  /// Goes on from `step`, at which it is, to before `end_step`. Returns how far it has come: less where there
  /// are too many runs. `watcher` may be null.
  int go(int step, int end_step, Watcher* watcher);
  std::vector<RankState> ranks(int step) const;

  /// Blocks that in a step have sent all so much later than the one before. Of the first:
  struct Stretch {
    std::size_t first_block;
    int blocks;
    std::size_t ranks;          // of a block
    std::size_t larger_chunks;  // of those that a block sends: the first ones
    double shift_s;
    const RankState* before;
    const Sent* sent;
  };
  /// All blocks of the last step, in order.
  template <typename See>
  void for_each_stretch(const See& see) const {
    const Runs& before = next_runs_;  // those before the step are kept here
    std::size_t block = 0;
    for (std::size_t i = 0; i < before.runs.size(); ++i) {
      const Run& run = before.runs[i];
      const std::size_t place = i * block_size_;
      if (run.length > 1)
        see(Stretch{block, run.length - 1, block_size_, run.larger_chunks, run.shift_s, &before.first[place],
                    &first_sent_[place]});
      block += static_cast<std::size_t>(run.length);
      see(Stretch{block - 1, 1, ranks_of(block - 1), run.larger_chunks, 0, &before.last[place],
                  &last_sent_[place]});
    }
  }

 private:
  /// Neighboring blocks of which each has all times the same shift after the one before.
  struct Run {
    int length;
    std::size_t larger_chunks;  // of those that a block sends: the first ones
    double shift_s;
  };
  /// The ranks of the first and of the last block of every run, one block after the other.
  struct Runs {
    std::vector<Run> runs;
    std::vector<RankState> first;
    std::vector<RankState> last;
    std::size_t first_hop = 0;  // from who sends the first chunk
  };
  /// What the ranks of a block do in a step; all times are so much later.
  struct Block {
    const RankState* before;
    const RankState* now;
    const Sent* sent;
    const std::uint32_t* kinds_of_hops;
    std::size_t ranks;
    std::size_t larger_chunks;
    double shift_s;
  };

  std::size_t number_of_blocks() const { return (ranks_ + block_size_ - 1) / block_size_; }
  std::size_t ranks_of(std::size_t block) const {
    return std::min(block_size_, ranks_ - block * block_size_);
  }
  /// Where many steps can be one, it pays with more.
  std::size_t most_runs() const {
    return do_all_repeat_ ? number_of_blocks() / 16 + 16 : number_of_blocks() / 64 + 8;
  }
  int steps_of_stride() const;
  std::size_t known_hops() const { return kinds_of_hops_.size() / 2; }
  /// From the ranks of a block.
  const std::uint32_t* kinds_of_hops(std::size_t block) const {
    return &kinds_of_hops_[runs_.first_hop + (do_all_repeat_ ? 0 : block * block_size_)];
  }
  std::size_t larger_chunks(std::size_t block) const;
  void begin_next(std::size_t first_hop);
  bool pass_changes(std::size_t block);
  void append(std::size_t block, int length);
  void append_alike(std::size_t block, int length, bool do_hops_change, const RankState* last);
  void send(std::size_t run, std::size_t block);
  void send_block(const Run& run, std::size_t block, double next_begin_s, RankState* ranks, Sent* sent);
  void next(const Block& block, const Block& following);
  void go_on(std::size_t run, std::size_t block);
  Block first_of(std::size_t run, std::size_t block, double shift_s) const;
  Block last_of(std::size_t run, std::size_t block) const;
  /// False if there are too many runs: the state is that before the step then.
  bool step();
  Runs far_on(const Runs& before, const Runs& now, int strides) const;
  static bool is_as_far(const Runs& before, const Runs& now, const Runs& other_before, const Runs& other);
  int go_alike(int steps, Watcher* watcher);
  int stride(Watcher* watcher);
  bool leap(Runs& before, int strides);

  StepRules& rules_;
  const FreeRoutes& network_;
  std::size_t ranks_;
  std::size_t block_size_;                    // in ranks
  bool do_all_repeat_;                        // hops, all around the ring
  std::vector<std::size_t> changes_;          // of hops: the first ones that are not as those a block before
  std::vector<Legs> legs_;                    // by the kind of hop
  std::vector<std::uint32_t> kinds_of_hops_;  // those that repeat, or all, twice
  double reduction_s_per_byte_ = 0;
  Runs runs_;
  Runs next_runs_;
  // What the first and the last block of every run do in a step:
  Runs now_;
  std::vector<Sent> first_sent_;
  std::vector<Sent> last_sent_;
  // Of those after the step, in which blocks hops are not as in the one before, in order, and how many of
  // these are behind:
  std::vector<std::size_t> changed_blocks_;
  std::size_t passed_changes_ = 0;
  // The ranks of a block after a step, those of the last one of its run, and of the last one before a change:
  std::vector<RankState> next_first_;
  std::vector<RankState> next_last_;
  std::vector<RankState> before_change_;
};

/// All steps of a ring from `step` to before `end_step`, of all ranks as few, while there are few different
/// ones. Who is late holds up more ranks from step to step, which then are alike: where ranks begin apart,
/// about P/s of them differ after s steps. Calls as_runs(runs, step), which returns how far these have come,
/// and else rank_by_rank(ranks, step, end step), which returns the ranks after these.
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
