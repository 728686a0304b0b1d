#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// Consecutive elements of the buffer that a collective works on, in elements.
struct Chunk {
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// One message of a round. If the rank sends (or receives) nothing, peer is −1. A message with an empty chunk
/// is never sent.
struct Transmission {
  Rank peer = -1;
  Chunk chunk = {};
  bool is_present() const { return peer >= 0 && chunk.count > 0; }
};

/// What a rank does in one round of a collective: it sends a chunk and receives a chunk at the same time,
/// then reduces the received data into its own buffer, or copies it there. The next round begins when both
/// messages are complete.
struct Round {
  enum class Action { reduce, copy };
  Transmission send = {};
  Transmission receive = {};
  Action action = Action::copy;
};

/// A collective operation on `count` elements over P ranks, given by the rounds of every rank.
///
/// Pure arithmetic: no messages, no time, nothing stored per rank or round. The runner, the evaluators and
/// the checker request one round at a time. The m-th chunk that rank a sends to rank b must have the same
/// size as the m-th chunk that b receives from a.
class Schedule {
 public:
  virtual ~Schedule() = default;

  virtual std::string name() const = 0;
  /// Whether the schedule is a single ring of all ranks (ring.hpp), where every rank sends only to the next.
  virtual bool is_ring() const { return false; }
  int ranks() const { return ranks_; }
  /// The ranks that take part in the collective together with `rank`, itself included, in ascending order.
  /// Empty if all ranks do.
  virtual std::span<const Rank> group_of([[maybe_unused]] Rank rank) const { return {}; }
  std::int64_t count() const { return count_; }
  /// The number of rounds of `rank`, which may differ between ranks.
  virtual int rounds(Rank rank) const = 0;
  /// Round `index` of `rank`, 0 ≤ index < rounds(rank). O(log P) at most.
  virtual Round round(Rank rank, int index) const = 0;

 protected:
  Schedule(int ranks, std::int64_t count) : ranks_(ranks), count_(count) {}

  Chunk everything() const { return {.offset = 0, .count = count_}; }

 private:
  int ranks_;
  std::int64_t count_;
};

}  // namespace starling
