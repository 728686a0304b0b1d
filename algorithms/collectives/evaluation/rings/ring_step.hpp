#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {

/// The hops of a ring: hop r leads from rank r to the next one.
struct RingHops {
  explicit RingHops(std::vector<Hop> all) : hops(std::move(all)) {
    std::map<Hop, std::uint32_t> known;
    for (const Hop& hop : hops) {
      const auto [kind, is_new] = known.try_emplace(hop, static_cast<std::uint32_t>(kinds.size()));
      kind_of.push_back(kind->second);
      if (is_new) kinds.push_back(hop);
    }
    while (period_ < size() && !repeats(period_)) ++period_;
    find_blocks();
  }
  std::size_t size() const { return hops.size(); }
  /// The number of hops after which they repeat, all around the ring: 1 where all are alike, P where they do
  /// not repeat.
  std::size_t period() const { return period_; }
  bool are_alike() const { return period_ == 1; }

  /// The number of hops after which they repeat but for a few: the period, unless a large ring has a smaller
  /// such number.
  std::size_t block() const { return block_; }
  /// The hops that are not as the one a block before, in order.
  const std::vector<std::size_t>& changes() const { return changes_; }
  bool has_many_blocks() const { return are_alike() || size() / block_ >= many_blocks; }

  std::vector<Hop> hops;
  std::vector<Hop> kinds;  // the different ones among them
  std::vector<std::uint32_t> kind_of;

 private:
  static constexpr std::size_t many_blocks = 32;

  bool repeats(std::size_t period) const {
    return size() % period == 0 &&
           std::equal(kind_of.begin() + static_cast<std::ptrdiff_t>(period), kind_of.end(), kind_of.begin());
  }

  /// Looks for a block where the period is long. One pays if the blocks at changes are a small part of the
  /// ring.
  void find_blocks() {
    constexpr std::size_t longest_block = 64;
    constexpr std::size_t ranks_of_one_looked_at = 64;
    block_ = period_;
    if (has_many_blocks()) return;
    std::size_t most = size() / ranks_of_one_looked_at;
    for (std::size_t block = 1; block <= std::min(most, longest_block); ++block) {
      std::vector<std::size_t> changes = changes_between(block, most / block);
      if ((1 + changes.size()) * block > most) continue;
      most = (1 + changes.size()) * block - 1;
      block_ = block;
      changes_ = std::move(changes);
    }
  }
  /// The hops that are not as those a block before; at most `most` of them, the first ones.
  std::vector<std::size_t> changes_between(std::size_t block, std::size_t most) const {
    std::vector<std::size_t> changes;
    for (std::size_t hop = 0; hop < size() && changes.size() < most; ++hop)
      if (kind_of[hop] != kind_of[hop < block ? hop + size() - block : hop - block]) changes.push_back(hop);
    return changes;
  }

  std::size_t period_ = 1;
  std::size_t block_ = 1;
  std::vector<std::size_t> changes_;
};

/// A rank of a ring between two steps.
struct RankState {
  double begin_s = 0;       // of its next step
  double free_s = 0;        // when its hop has sent what was sent so far,
  double start_s = 0;       // and when the last of that which waits its turn began to flow
  double small_gone_s = 0;  // when the last small message has left

  static const std::array<double RankState::*, 4> times;  // all of these
};
inline constexpr std::array<double RankState::*, 4> RankState::times = {
    &RankState::begin_s, &RankState::free_s, &RankState::start_s, &RankState::small_gone_s};
/// FreeRoutes::never_s stays what it is.
inline RankState later(const RankState& state, double by_s) {
  return {state.begin_s + by_s, state.free_s + by_s, state.start_s + by_s, state.small_gone_s + by_s};
}

/// What a rank has sent in a step.
struct Sent {
  double launch_s;
  double ready_s;  // to flow, once its receiver is
  double arrival_s;
  double complete_s;
};
inline Sent later(const Sent& sent, double by_s) {
  return {sent.launch_s + by_s, sent.ready_s + by_s, sent.arrival_s + by_s, sent.complete_s + by_s};
}

/// Where to write what all ranks did in a step, P entries each. A message that does not wait for those before
/// it starts when it is ready; an eager one among these starts when it is launched, whatever is written here.
struct StepTimes {
  double* begin_s;
  double* free_s;  // the hop from the rank, from what was sent before
  double* start_s;
  double* arrival_s;
};

/// Where to write when what ranks have sent in a step is sent, P entries each. Entries of ranks that send
/// nothing mean nothing.
struct SentTimes {
  double* ready_s;  // to flow, once its receiver is
  double* free_s;   // the hop from the rank, from what was sent before
  double* arrival_s;
};

/// Times of messages at even distances. Those of message 0, 1, …: first_s, first_s + gap_s, …
struct EvenTimes {
  double first_s = 0;
  double gap_s = 0;
  double of(std::int64_t message) const { return first_s + static_cast<double>(message) * gap_s; }
};

/// Messages of one size that a rank of a ring sends one after the other, at even distances in time.
struct Train {
  std::int64_t messages = 0;
  std::size_t size = 0;  // of their chunks: 1 for the larger ones
  bool passes = false;   // they take no turn on their links
  EvenTimes ready = {};  // to flow, once the receiver is
  EvenTimes start = {};  // the first byte leaves
  EvenTimes arrival = {};
};

/// The sizes of chunks: the first `larger_chunks` have one element more.
struct ChunkSizes {
  ChunkSizes() = default;
  ChunkSizes(const RingSchedule& schedule, double bytes_per_element)
      : larger_chunks(static_cast<int>(schedule.count() % schedule.ranks())) {
    const std::int64_t smallest = schedule.count() / schedule.ranks();
    const auto smaller = static_cast<double>(smallest);
    bytes = {smaller * bytes_per_element, (smaller + 1) * bytes_per_element};
  }
  /// The index of a chunk's size in `bytes`: 1 for the larger ones.
  std::size_t size_of(int chunk) const { return chunk < larger_chunks ? 1 : 0; }

  /// The size of the largest chunks.
  double most_bytes() const { return bytes[larger_chunks > 0 ? 1 : 0]; }

  int larger_chunks = 0;
  std::array<double, 2> bytes = {};  // of a smaller, of a larger one
};

/// The ranks after and before another one in a ring of `ranks`. The numbers of chunks go round likewise.
constexpr std::size_t right_of(std::size_t rank, std::size_t ranks) {
  return rank + 1 == ranks ? 0 : rank + 1;
}
constexpr std::size_t left_of(std::size_t rank, std::size_t ranks) {
  return rank == 0 ? ranks - 1 : rank - 1;
}

/// The chunk that rank 0 sends in a step; the other ranks send those after it.
inline int first_chunk_sent(int step, int ranks) { return Ring(0, ranks).behind(step % ranks + 1); }
/// The size (0 or 1) of the chunk that a rank sends in the step in which rank 0 sends `first_chunk`.
inline std::size_t size_sent(const ChunkSizes& chunks, int first_chunk, std::size_t rank, std::size_t ranks) {
  const std::size_t chunk = static_cast<std::size_t>(first_chunk) + rank;
  return chunks.size_of(static_cast<int>(chunk < ranks ? chunk : chunk - ranks));
}

/// A ring whose beginning is known: all else follows.
struct EvaluatedRing {
  ChunkSizes chunks;
  int first_step = 0;
  int end_step = 0;
  std::vector<RankState> before = {};
  std::vector<RankState> after = {};
};

/// The legs of a chunk on a hop, by its size.
using Legs = std::array<Leg, 2>;

/// The legs of the chunks on every kind of hop.
inline std::vector<Legs> legs_of(const ChunkSizes& chunks, const RingHops& hops, const FreeRoutes& network) {
  std::vector<Legs> legs;
  for (const Hop& hop : hops.kinds)
    legs.push_back({network.leg(chunks.bytes[0], hop), network.leg(chunks.bytes[1], hop)});
  return legs;
}

/// How many steps there are from `step` on, before `end_step`, of which either all reduce or none.
inline int steps_of_phase(int workers, int step, int end_step) {
  return (RingSchedule::reduces(step, workers) ? std::min(workers - 1, end_step) : end_step) - step;
}

/// The seconds that it takes to reduce each byte that is received in a step; 0 where none is reduced.
inline double reduction_of_step(const FreeRoutes& network, int step, int workers) {
  return RingSchedule::reduces(step, workers) ? network.costs().reduction_s_per_byte : 0;
}

/// The max-plus equations of one step of one rank.
class StepRules {
 public:
  StepRules(const FreeRoutes& network, const ChunkSizes& chunks)
      : network_(network), chunks_(chunks), overhead_s_(network.costs().overhead_s) {}

  const ChunkSizes& chunks() const { return chunks_; }
  /// False once messages met on a link in a way that the equations do not tell.
  bool is_exact() const { return is_exact_; }

  bool is_sent(std::size_t size) const { return chunks_.bytes[size] > 0; }
  /// When a rank begins to send, which it does before it receives.
  double launch_s(double begin_s, std::size_t size) const {
    return is_sent(size) ? begin_s + overhead_s_ : begin_s;
  }

  /// A rank sends at `launch_s`, to one whose step begins at `receiver_begin_s`. Updates what `own` says of
  /// its hop.
  Sent send(RankState& own, const Leg& leg, double launch_s, double receiver_begin_s) {
    double ready_s = launch_s;
    if (leg.is_rendezvous) {
      const double request_s = network_.control_arrival_s(in_order(own, launch_s), leg.latency_s, own.free_s);
      ready_s = std::max(request_s, receiver_begin_s) + leg.back_latency_s;
    }
    Passage passage = network_.passage(leg, launch_s, ready_s, own.free_s);
    if (passage.passes) {
      passage.arrival_s = in_order(own, passage.gone_s) + leg.latency_s;
      if (network_.rules().take_links) take_links(own, ready_s, leg.transmission_s);
    } else {
      own.start_s = passage.start_s;
      own.free_s = passage.gone_s;
    }
    return {launch_s, ready_s, passage.arrival_s, passage.complete_s};
  }

  /// When the step that a rank began at `begin_s` ends for it. It has sent `sent`, and what it receives on
  /// `leg` arrives at `arrival_s`; sizes are those of both chunks.
  double end_s(double begin_s, std::size_t sent_size, const Sent& sent, std::size_t received_size,
               const Leg& leg, double arrival_s, double reduction_s_per_byte) const {
    const double launch_s = is_sent(sent_size) ? sent.launch_s : begin_s;
    const double complete_s = is_sent(sent_size) ? std::max(launch_s, sent.complete_s) : begin_s;
    if (!is_sent(received_size)) return complete_s;
    const double received_s = network_.received_s(leg, launch_s, arrival_s);
    return std::max(complete_s, received_s) + chunks_.bytes[received_size] * reduction_s_per_byte;
  }

 private:
  /// When a small message leaves that could at `gone_s`: after those before it where small ones do not
  /// overtake each other.
  double in_order(RankState& own, double gone_s) const {
    if (network_.rules().take_links) return gone_s;
    return own.small_gone_s = std::max(own.small_gone_s, gone_s);
  }
  /// A message that waits its turn before the first link of its hop would meet those that slip past it on
  /// the next link, which one link for the whole hop does not show.
  void take_links(RankState& own, double ready_s, double transmission_s) {
    if (ready_s <= own.start_s || are_simultaneous(ready_s, own.start_s)) is_exact_ = false;
    own.free_s = std::max(ready_s, own.free_s) + transmission_s;
  }

  const FreeRoutes& network_;
  ChunkSizes chunks_;
  double overhead_s_;
  bool is_exact_ = true;
};

}  // namespace starling
