#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "algorithms/collectives/evaluation/ring_step.hpp"

namespace starling {

/// When a rank began a step, until when its hop sent what was sent before, and when what it sends in the step
/// begins to flow and arrives.
struct StepMoments {
  double begin_s;
  double free_s;
  double start_s;
  double arrival_s;
};
inline StepMoments later(const StepMoments& moments, double by_s) {
  return {moments.begin_s + by_s, moments.free_s + by_s, moments.start_s + by_s, moments.arrival_s + by_s};
}

/// When the ranks of a ring of runs do what they do in neighboring steps: as stretches of neighboring blocks,
/// each so much later than the one before. A block is so many ranks, in the order of the chunks that they
/// send, as in RingOfRuns; the last one may be shorter.
class RingStretches {
 public:
  struct Stretch {
    std::size_t first_block;
    std::size_t blocks;
    double shift_s;
    std::size_t place;  // in the moments, of its first block
  };

  RingStretches(std::size_t ranks, std::size_t block_size) : ranks_(ranks), block_size_(block_size) {}

  /// Forgets all, and begins at that step of the ring.
  void begin(int first_step) {
    first_step_ = static_cast<std::size_t>(first_step);
    first_stretches_.assign(1, 0);
    stretches_.clear();
    moments_.clear();
  }
  /// Adds the next stretch of a step; add_moments() must follow for each rank of its first block, and
  /// end_step() the last stretch of the step.
  void add(std::size_t first_block, std::size_t blocks, double shift_s) {
    stretches_.push_back({first_block, blocks, shift_s, moments_.size()});
  }
  void add_moments(const StepMoments& moments) { moments_.push_back(moments); }
  void end_step() { first_stretches_.push_back(stretches_.size()); }

  std::size_t steps() const { return first_stretches_.size() - 1; }
  std::size_t known_moments() const { return moments_.size(); }

  /// The rank that sends chunk 0 in a step; steps count from 0 at the one that was begun at.
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
  /// When a rank did what it did in a step. O(log stretches of the step).
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
  /// When the sender of a chunk, which must be in the stretch, did what it did.
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
  /// Avoids the division where hops are alike, as they most often are.
  std::size_t block_of(std::size_t chunk) const { return block_size_ == 1 ? chunk : chunk / block_size_; }

  std::size_t ranks_;
  std::size_t block_size_;
  std::size_t first_step_ = 0;
  std::vector<std::size_t> first_stretches_ = {0};  // step by step, and the end of the last one's
  std::vector<Stretch> stretches_;
  std::vector<StepMoments> moments_;
};

}  // namespace starling
