#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_hops.hpp"
#include "algorithms/collectives/evaluation/rings/ring_legs.hpp"
#include "algorithms/collectives/evaluation/rings/step_rules.hpp"
#include "algorithms/collectives/evaluation/rings/step_times.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"

namespace starling {

/// All ranks of a ring between two steps, each for itself: the equations of StepRules as they are.
class RingOfRanks {
 public:
  /// All but the ranks must outlive this object.
  RingOfRanks(StepRules& rules, const RingHops& hops, const FreeRoutes& network,
              std::vector<RankState> ranks);

  /// Computes a step. O(ranks that send or receive in it).
  void step(int step, double reduction_s_per_byte);
  /// True if the last step took every rank and every hop equally long, but for rounding.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times; only where it advanced evenly and all chunks are alike.
  void repeat(int times);
  const std::vector<RankState>& ranks() const { return ranks_; }

  /// Writes what the last step's messages did, of the ranks that took part in it: those that sent or
  /// received.
  void note_sent(const SentTimes& times) const;
  /// Writes what these ranks did; and when the next step begins for those who took part in the one before.
  void note(const StepTimes& times) const;

 private:
  const Leg& leg(std::size_t rank, std::size_t size) const { return legs_[kind_of_[rank]][size]; }
  void find_participants(int step);
  template <typename Act>
  void for_each_participant(const Act& act) const;
  void send(std::size_t rank);

  StepRules& rules_;
  const FreeRoutes& network_;
  std::vector<RankState> ranks_;
  std::vector<RankState> before_;
  std::vector<Sent> sent_;
  std::size_t first_ = 0;                   // of the ranks that take part in this step, neighbors,
  std::size_t number_ = 0;                  // and how many these are
  std::vector<std::uint8_t> sizes_;         // of the chunks that they, and the one before them, send
  std::span<const std::uint32_t> kind_of_;  // hops
  std::vector<Legs> legs_;                  // by the kind of hop
};

}  // namespace starling
