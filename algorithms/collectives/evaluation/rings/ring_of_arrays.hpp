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

/// All ranks of a ring between two steps, each for itself, where messages differ only in how long they take:
/// the equations of StepRules in loops over arrays, about 1 ns a message.
///
/// In all arrays entry r+1 belongs to rank r, and entry 0 repeats the last, so that every rank finds its left
/// neighbor before it.
class RingOfArrays {
 public:
  /// Empty if messages are not alike, small ones take links or senders wait for them, or some rank has still
  /// to send small ones before others.
  static std::optional<RingOfArrays> make(const ChunkSizes& chunks, std::span<const Hop> hops,
                                          const FreeRoutes& network, std::span<const RankState> ranks);

  RingOfArrays(RingOfArrays&&) = default;
  RingOfArrays& operator=(RingOfArrays&&) = default;

  /// Computes a step. O(P).
  void step(int step, double reduction_s_per_byte);
  /// True if the last step took every rank and every hop equally long, but for rounding.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times; only where it advanced evenly and all chunks are alike.
  void repeat(int times);
  std::vector<RankState> ranks() const;

  /// As in RingOfRanks, but of all ranks.
  void note_sent(const SentTimes& times) const;
  void note(const StepTimes& times) const;

 private:
  RingOfArrays(const ChunkSizes& chunks, std::span<const Leg> legs, std::span<const Hop> hops,
               const FreeRoutes& network, std::span<const RankState> ranks);
  /// The entry of what a rank sends: r+1, but 0 for the last rank.
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
  std::vector<double> storage_;  // of what follows:
  double* bytes_ = nullptr;      // of chunk i mod P at place i+1, i = −1 … 2P−1
  // Of the hop from each rank, where hops are alike only the first:
  double* s_per_byte_ = nullptr;
  double* latency_s_ = nullptr;
  double* back_latency_s_ = nullptr;
  double* protocol_latency_s_ = nullptr;
  double* paced_s_per_byte_ = nullptr;
  double* buffered_s_ = nullptr;
  // Of each rank:
  double* begin_s_ = nullptr;
  double* next_begin_s_ = nullptr;
  double* free_s_ = nullptr;  // when the hop from the rank is free
  double* next_free_s_ = nullptr;
  double* small_gone_s_ = nullptr;  // when the last small message has left
  double* next_small_gone_s_ = nullptr;
  double* start_s_ = nullptr;    // when what the rank sent last began to flow
  double* arrival_s_ = nullptr;  // of the message to the rank
};

}  // namespace starling
