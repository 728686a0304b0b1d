#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "sim/causes.hpp"
#include "sim/explanation.hpp"

namespace starling {

/// What is to blame for the steps of rings.
class RingBlames {
 public:
  struct OfHop {
    Causes::PackedBlame arrival;    // flowing and latency,
    Causes::PackedBlame back;       // of the answer,
    Causes::PackedBlame flow;       // waiting for its turn,
    Causes::PackedBlame departure;  // and leaving the sender
  };
  struct OfRank {
    Causes::PackedBlame overhead;
    Causes::PackedBlame reduction;
  };

  explicit RingBlames(const RingEvaluator& rings) : rings_(rings) {}

  /// Of steps that those causes are to know.
  void pack_for(Causes& causes);
  const OfHop& of_hop(std::size_t rank) const { return hops_[rank]; }
  const OfRank& of_rank(std::size_t rank) const { return ranks_[rank]; }
  Causes::PackedBlame latency() const { return latency_; }

  const RingEvaluator& rings() const { return rings_; }

 private:
  const RingEvaluator& rings_;
  const Causes* packed_for_ = nullptr;
  std::vector<OfHop> hops_;
  std::vector<OfRank> ranks_;
  Causes::PackedBlame latency_ = {};
};

/// Why the ranks of an evaluated ring were done with it when they were: goes through it again, rank by rank,
/// and says of every step what was the last thing that it waited for, as the messages would have.
///
/// It begins, and each part of it, with 2P steps: that rank r came to it, and that what rank r had sent last
/// before that began to flow, which its hop may still be busy with. It ends with the same of those after it.
/// Costs some 10 ns a message; memory: P states for each part, of which there are about as many as steps in
/// one.
class RingExplanation final : public Explanation {
 public:
  /// `blames` must outlive this object.
  RingExplanation(RingBlames& blames, EvaluatedRing ring, std::vector<Causes::Index> begins);

  int parts() override;
  void explain(int part, Causes& inner, std::vector<Causes::Index>& ends) override;
  std::span<const Causes::Index> begins() const override { return begins_; }

  /// When the steps end that it ends with.
  std::vector<double> ends_s() const;

 private:
  int first_step_of(int part) const { return ring_.first_step + part * steps_of_part_; }
  int end_step_of(int part) const { return std::min(ring_.end_step, first_step_of(part) + steps_of_part_); }
  void find_parts();

  RingBlames& blames_;
  EvaluatedRing ring_;
  std::vector<Causes::Index> begins_;
  int steps_of_part_;
  std::vector<std::vector<RankState>> parts_;  // the ranks before each, once someone asks
};

}  // namespace starling
