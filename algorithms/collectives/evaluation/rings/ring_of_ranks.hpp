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

/// All ranks of a ring between two steps, computed rank by rank with the equations of StepRules.
class RingOfRanks {
 public:
  /// All but the ranks must outlive this object.
  RingOfRanks(StepRules& rules, const RingHops& hops, const FreeRoutes& network,
              std::vector<RankState> ranks);

  /// Computes a step. O(ranks that send or receive in it).
  void step(int step, double reduction_s_per_byte);
  /// True if the last step advanced the times of all ranks and hops equally, up to rounding.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times. Requires that it advanced evenly and that all chunks have one size.
  void repeat(int times);
  const std::vector<RankState>& ranks() const { return ranks_; }

  /// Writes the moments of the last step's messages, for the ranks that took part in it, that is, sent or
  /// received.
  void note_sent(const SentTimes& times) const;
  /// Writes the moments of the last step for these ranks, and begin_s for the rank that took part only in the
  /// step before.
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
  std::size_t first_ = 0;                   // first of the neighboring ranks that take part in this step,
  std::size_t number_ = 0;                  // and their number
  std::vector<std::uint8_t> sizes_;         // sizes of the chunks sent by them and by the rank before them
  std::span<const std::uint32_t> kind_of_;  // by hop, see RingHops
  std::vector<Legs> legs_;                  // by the kind of hop
};

}  // namespace starling
