#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/ring_of_arrays.hpp"
#include "algorithms/collectives/evaluation/ring_of_ranks.hpp"

namespace starling {

/// The chunk that rank 0 sends in a step; the other ranks send those after it.
inline int first_chunk_sent(int step, int ranks) { return Ring(0, ranks).behind(step % ranks + 1); }
/// Of the chunk that a rank sends where rank 0 sends that one.
inline std::size_t size_sent(const ChunkSizes& chunks, int first_chunk, std::size_t rank, std::size_t ranks) {
  const std::size_t chunk = static_cast<std::size_t>(first_chunk) + rank;
  return chunks.size_of(static_cast<int>(chunk < ranks ? chunk : chunk - ranks));
}

/// Goes through steps of an evaluated ring again, rank by rank, for whoever wants to see its messages.
class RingReplay {
 public:
  /// From `step` on, before which the ranks were there. All but the ranks must outlive this object.
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

  /// Goes on by a step, and then calls see(ring) with the ring of ranks or of arrays.
  template <typename See>
  void step(const See& see) {
    const double reduction_s_per_byte = step_ < ranks_ - 1 ? network_.costs().reduction_s_per_byte : 0;
    if (arrays_) {
      arrays_->step(step_, reduction_s_per_byte);
    } else {
      each_->step(step_, reduction_s_per_byte);
    }
    first_chunk_ = first_chunk_sent(step_++, ranks_);
    if (arrays_)
      see(*arrays_);
    else
      see(*each_);
  }

  /// Calls act(rank, size of its chunk) with all that have sent something in the last step.
  template <typename Act>
  void for_each_sender(const Act& act) const {
    const auto ranks = static_cast<std::size_t>(ranks_);
    const bool do_all = rules_.is_sent(0);
    const std::size_t senders = do_all ? ranks : static_cast<std::size_t>(rules_.chunks().larger_chunks);
    std::size_t rank = do_all ? 0 : (ranks - static_cast<std::size_t>(first_chunk_)) % ranks;
    for (std::size_t i = 0; i < senders; ++i, rank = rank + 1 == ranks ? 0 : rank + 1)
      act(rank, size_sent(rules_.chunks(), first_chunk_, rank, ranks));
  }
  int first_chunk() const { return first_chunk_; }

  std::vector<RankState> ranks() const { return arrays_ ? arrays_->ranks() : each_->ranks(); }

 private:
  const FreeRoutes& network_;
  StepRules rules_;
  int ranks_;
  int step_;
  int first_chunk_ = 0;                 // that rank 0 has sent
  std::optional<RingOfArrays> arrays_;  // where messages are alike,
  std::optional<RingOfRanks> each_;     // and where not
};

}  // namespace starling
