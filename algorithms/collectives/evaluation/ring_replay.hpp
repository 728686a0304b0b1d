#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/ring_of_arrays.hpp"
#include "algorithms/collectives/evaluation/ring_of_ranks.hpp"

namespace starling {

/// Computes steps of an evaluated ring again, rank by rank, for whoever wants to see its messages.
class RingReplay {
 public:
  /// From `step` on, before which the ranks have the states `ranks`. All but these must outlive this object.
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

  /// Computes a step, and then calls see(ring) with the RingOfRanks or RingOfArrays that did. O(P).
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

  /// Calls act(rank, size of its chunk) for all ranks that have sent something in the last step.
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
  int first_chunk_ = 0;                 // that rank 0 has sent
  std::optional<RingOfArrays> arrays_;  // where messages are alike,
  std::optional<RingOfRanks> each_;     // and where not
};

}  // namespace starling
