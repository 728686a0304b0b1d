#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/rings/evaluated_ring.hpp"
#include "algorithms/collectives/evaluation/rings/ring_of_arrays.hpp"
#include "algorithms/collectives/evaluation/rings/ring_of_ranks.hpp"
#include "algorithms/collectives/evaluation/rings/ring_of_runs.hpp"

namespace starling {

/// Computes steps of an evaluated ring again, rank by rank, to observe its messages.
class RingReplay {
 public:
  /// Begins at `step`, before which the ranks have the states `ranks`. The other arguments must outlive this
  /// object.
  RingReplay(const RingHops& hops, const FreeRoutes& network, const EvaluatedRing& ring, int step,
             std::vector<RankState> ranks)
      : network_(network),
        rules_(network_, ring.chunks),
        ranks_(static_cast<int>(ranks.size())),
        step_(step),
        arrays_(RingOfArrays::make(ring.chunks, hops.hops, network_, ranks)) {
    if (!arrays_) each_.emplace(rules_, hops, network_, std::move(ranks));
  }

  RingReplay(const RingReplay&) = delete;
  RingReplay& operator=(const RingReplay&) = delete;

  /// Computes a step, and then calls see(ring) with the RingOfRanks or RingOfArrays that computed it. O(P).
  template <typename See>
  void step(const See& see) {
    const double reduction_s_per_byte = reduction_of_step(network_, step_, ranks_);
    if (arrays_)
      arrays_->step(step_, reduction_s_per_byte);
    else
      each_->step(step_, reduction_s_per_byte);
    first_chunk_ = first_chunk_sent(step_++, ranks_);
    if (arrays_)
      see(*arrays_);
    else
      see(*each_);
  }

  /// Calls act(rank, size of its chunk) for all ranks that have sent a message in the last step.
  template <typename Act>
  void for_each_sender(const Act& act) const {
    const auto ranks = static_cast<std::size_t>(ranks_);
    const bool do_all = rules_.is_sent(0);
    const std::size_t senders = do_all ? ranks : static_cast<std::size_t>(rules_.chunks().larger_chunks);
    std::size_t rank = do_all ? 0 : (ranks - static_cast<std::size_t>(first_chunk_)) % ranks;
    for (std::size_t i = 0; i < senders; ++i, rank = right_of(rank, ranks))
      act(rank, size_sent(rules_.chunks(), first_chunk_, rank, ranks));
  }

  std::vector<RankState> ranks() const { return arrays_ ? arrays_->ranks() : each_->ranks(); }

 private:
  const FreeRoutes& network_;
  StepRules rules_;
  int ranks_;
  int step_;
  int first_chunk_ = 0;                 // that rank 0 sent in the last step
  std::optional<RingOfArrays> arrays_;  // if it supports the ring,
  std::optional<RingOfRanks> each_;     // else this
};

/// The moments of a rank's step.
struct StepMoments {
  double begin_s;    // the step begins
  double free_s;     // the hop from the rank has transmitted the messages of earlier steps
  double start_s;    // the message that the rank sends in the step begins to flow
  double arrival_s;  // and arrives
};
inline StepMoments later(const StepMoments& moments, double by_s) {
  return {moments.begin_s + by_s, moments.free_s + by_s, moments.start_s + by_s, moments.arrival_s + by_s};
}

/// The moments of the ranks of a RingOfRuns in consecutive steps, stored as stretches: neighboring blocks,
/// each later by a constant shift than the block before. A block is block_size ranks, in the order of the
/// chunks that they send, as in RingOfRuns; the last one may be shorter.
class RingStretches {
 public:
  struct Stretch {
    std::size_t first_block;
    std::size_t blocks;
    double shift_s;
    std::size_t place;  // index of its first block in moments_
  };

  RingStretches(std::size_t ranks, std::size_t block_size) : ranks_(ranks), block_size_(block_size) {}

  /// Clears all, and begins at that step of the ring.
  void begin(int first_step) {
    first_step_ = static_cast<std::size_t>(first_step);
    first_stretches_.assign(1, 0);
    stretches_.clear();
    moments_.clear();
  }
  /// Adds the next stretch of a step. It must be followed by add_moments() for each rank of its first
  /// block, and the last stretch of the step then by end_step().
  void add(std::size_t first_block, std::size_t blocks, double shift_s) {
    stretches_.push_back({first_block, blocks, shift_s, moments_.size()});
  }
  void add_moments(const StepMoments& moments) { moments_.push_back(moments); }
  void end_step() { first_stretches_.push_back(stretches_.size()); }

  std::size_t steps() const { return first_stretches_.size() - 1; }
  std::size_t known_moments() const { return moments_.size(); }

  /// The rank that sends chunk 0 in a step. Steps are counted from 0, at the step given to begin().
  std::size_t first_sender(std::size_t step) const { return (first_step_ + step + 1) % ranks_; }
  /// The rank that sends the first chunk of a block.
  std::size_t sender(std::size_t step, std::size_t block) const {
    const std::size_t sender = first_sender(step) + block * block_size_;
    return sender < ranks_ ? sender : sender - ranks_;
  }
  std::size_t chunk_sent(std::size_t step, std::size_t rank) const {
    const std::size_t first = first_sender(step);
    return rank >= first ? rank - first : rank + ranks_ - first;
  }
  /// The moments of a rank in a step. O(log stretches of the step).
  StepMoments of(std::size_t step, std::size_t rank) const {
    const std::size_t chunk = chunk_sent(step, rank);
    return in(stretch_of(step, chunk), chunk);
  }
  /// The stretch of a step in which a chunk is sent. O(log stretches of the step).
  const Stretch& stretch_of(std::size_t step, std::size_t chunk) const {
    const auto begin = stretches_.begin() + static_cast<std::ptrdiff_t>(first_stretches_[step]);
    const auto end = stretches_.begin() + static_cast<std::ptrdiff_t>(first_stretches_[step + 1]);
    return *(std::ranges::upper_bound(begin, end, block_of(chunk), {}, &Stretch::first_block) - 1);
  }
  bool is_in(const Stretch& stretch, std::size_t chunk) const {
    const std::size_t block = block_of(chunk);
    return block >= stretch.first_block && block < stretch.first_block + stretch.blocks;
  }
  /// The moments of the sender of a chunk, which must be in the stretch.
  StepMoments in(const Stretch& stretch, std::size_t chunk) const {
    const std::size_t block = block_of(chunk);
    return later(moments_[stretch.place + (chunk - block * block_size_)],
                 static_cast<double>(block - stretch.first_block) * stretch.shift_s);
  }
  /// Calls see(rank, moments) for all ranks of a step.
  template <typename See>
  void for_each(std::size_t step, const See& see) const {
    std::size_t rank = first_sender(step);
    for (std::size_t i = first_stretches_[step]; i < first_stretches_[step + 1]; ++i)
      for (std::size_t block = 0; block < stretches_[i].blocks; ++block) {
        const std::size_t first_chunk = (stretches_[i].first_block + block) * block_size_;
        const std::size_t ranks = std::min(block_size_, ranks_ - first_chunk);
        for (std::size_t place = 0; place < ranks; ++place, rank = right_of(rank, ranks_))
          see(rank, later(moments_[stretches_[i].place + place],
                          static_cast<double>(block) * stretches_[i].shift_s));
      }
  }

 private:
  /// Avoids the division if all hops are alike, as they usually are.
  std::size_t block_of(std::size_t chunk) const { return block_size_ == 1 ? chunk : chunk / block_size_; }

  std::size_t ranks_;
  std::size_t block_size_;
  std::size_t first_step_ = 0;
  // By step: the index of its first stretch; and the end of the last step's stretches.
  std::vector<std::size_t> first_stretches_ = {0};
  std::vector<Stretch> stretches_;
  std::vector<StepMoments> moments_;
};

/// The moments of the ranks of an evaluated ring, to go back through its steps.
///
/// A ring is divided into parts of consecutive steps; the moments of one part are stored at a time. While
/// ranks can be stored as runs, they form one part (unless it gets too large), which takes 64 bytes per run
/// and step. Else ranks are computed one by one, in about √steps parts of as many steps. A small ring is a
/// single part, computed rank by rank.
class RingRecord {
 public:
  struct Part {
    int first_step = 0;
    int end_step = 0;
    bool is_of_runs = false;
    std::vector<RankState> before = {};  // by rank: before first_step
  };
  /// The moments of a step, by rank (see StepMoments). In a part of runs, only the entries of the ranks for
  /// which show() was called, and of their neighbors, are filled in.
  struct Step {
    std::size_t number;  // in the part, counted from 1
    int first_chunk;     // chunk that rank 0 sends; rank r sends the r-th chunk after it
    const double* begin_s;
    const double* free_s;
    const double* start_s;
    const double* arrival_s;
    const double* end_s;  // of the step

    StepMoments of(std::size_t rank) const {
      return {begin_s[rank], free_s[rank], start_s[rank], arrival_s[rank]};
    }
  };

  /// Both must outlive this object.
  RingRecord(const RingHops& hops, const FreeRoutes& network)
      : hops_(hops), network_(network), ranks_(hops.size()), runs_(ranks_, hops.block()) {}

  /// The parts of a ring, in the order of steps. Computes the ring once.
  std::vector<Part> parts_of(const EvaluatedRing& ring);
  /// Selects a part of a ring for the functions below. Computes it, unless its moments are already stored.
  void look_at(const EvaluatedRing& ring, const Part& part);

  /// A step of the part, valid until the next call.
  Step step(std::size_t number);
  /// Fills in the entries of a rank and of its neighbors.
  void show(const Step& step, std::size_t rank) {
    if (is_of_runs_) show_in_runs(step.number, rank);
  }
  /// Fills in the entries of all ranks.
  void show_all(const Step& step) {
    if (is_of_runs_) show_all_in_runs(step.number);
  }
  /// The moments of a rank in a step of the part.
  StepMoments moments(std::size_t number, std::size_t rank) const;
  /// The chunk that rank 0 sends in a step of the part.
  int first_chunk(std::size_t number) const;

 private:
  class Recorder;

  bool is_small(const EvaluatedRing& ring) const;
  int go_as_runs(RingOfRuns& runs, const EvaluatedRing& ring, int step, int end_step);
  std::vector<RankState> go_rank_by_rank(const EvaluatedRing& ring, std::vector<RankState> ranks, int step,
                                         int end_step, std::vector<Part>& parts) const;
  void look_at_ranks(const EvaluatedRing& ring, const Part& part);
  void look_at_runs(const EvaluatedRing& ring, const Part& part);

  double end_s(std::size_t number, std::size_t rank) const;
  void lay_out(std::size_t rank, const StepMoments& moments);
  void show_in_runs(std::size_t number, std::size_t rank);
  void show_all_in_runs(std::size_t number);

  const RingHops& hops_;
  const FreeRoutes& network_;
  std::size_t ranks_;
  const EvaluatedRing* recorded_ = nullptr;  // the ring whose part is stored
  int first_step_ = 0;                       // of that part
  bool is_of_runs_ = false;
  // Arrays of P numbers: the four StepTimes of each step, and begin_s of the step after the last. In a part
  // of runs, only those of the step that was requested last.
  std::vector<double> times_;
  RingStretches runs_;          // the part, if it is of runs,
  std::vector<double> ends_s_;  // and by rank when its last step ends
};

}  // namespace starling
