#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_chunks.hpp"
#include "algorithms/collectives/evaluation/rings/step_times.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/hop.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"

namespace starling {

/// All ranks of a ring between two steps, for rings whose messages differ only in their times: the
/// equations of StepRules as loops over arrays, about 1 ns per message.
///
/// In all arrays entry r+1 belongs to rank r, and entry 0 repeats the last entry, so the left neighbor of
/// every rank is at the preceding entry.
class RingOfArrays {
 public:
  /// Empty if messages differ in more than their times; if small messages take links or may hold up their
  /// senders; or if a rank's earlier small messages have not left yet and this ring's messages are not small.
  static std::optional<RingOfArrays> make(const ChunkSizes& chunks, std::span<const Hop> hops,
                                          const FreeRoutes& network, std::span<const RankState> ranks);

  RingOfArrays(RingOfArrays&&) = default;
  RingOfArrays& operator=(RingOfArrays&&) = default;

  /// Computes a step. O(P).
  void step(int step, double reduction_s_per_byte);
  /// True if the last step advanced the times of all ranks and hops equally, up to rounding.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times. Requires that it advanced evenly and that all chunks have one size.
  void repeat(int times);
  std::vector<RankState> ranks() const;

  /// As in RingOfRanks, but for all ranks.
  void note_sent(const SentTimes& times) const;
  void note(const StepTimes& times) const;

 private:
  RingOfArrays(const ChunkSizes& chunks, std::span<const Leg> legs, std::span<const Hop> hops,
               const FreeRoutes& network, std::span<const RankState> ranks);
  /// The entry of a rank as a sender: r+1, but 0 for the last rank.
  std::size_t sender(std::size_t rank) const { return right_of(rank, ranks_); }
  enum class Protocol { small, eager, rendezvous };
  template <bool are_hops_alike>
  void send_all(const double* bytes);
  template <Protocol protocol, bool are_hops_alike>
  void send(const double* bytes);
  template <bool are_hops_alike>
  void receive(const double* bytes, double reduction_s_per_byte);
  void hold_until_complete();

  std::size_t ranks_;
  double overhead_s_;
  bool keeps_order_;
  bool is_small_;
  bool is_rendezvous_;
  SendCompletion completion_;
  bool are_hops_alike_;
  std::vector<double> storage_;  // holds all arrays below
  double* bytes_ = nullptr;      // size of chunk i mod P at index i+1, i = −1 … 2P−1
  // By rank, for the hop from the rank; a single entry if all hops are alike:
  double* s_per_byte_ = nullptr;
  double* latency_s_ = nullptr;
  double* back_latency_s_ = nullptr;
  double* protocol_latency_s_ = nullptr;
  double* paced_s_per_byte_ = nullptr;
  double* buffered_s_ = nullptr;
  // By rank. next_…: after the step that is computed; between steps, before the last one:
  double* begin_s_ = nullptr;
  double* next_begin_s_ = nullptr;
  double* free_s_ = nullptr;  // when the hop from the rank is free
  double* next_free_s_ = nullptr;
  double* small_gone_s_ = nullptr;  // when the last small message has left
  double* next_small_gone_s_ = nullptr;
  double* start_s_ = nullptr;    // when the rank's last queued message began to flow
  double* arrival_s_ = nullptr;  // when the message to the rank arrives
};

}  // namespace starling
