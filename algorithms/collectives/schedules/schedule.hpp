#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// A run of consecutive elements of the buffer that a collective works on.
struct Chunk {
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// One message of a round. An absent one has peer −1. An empty chunk is no message at all.
struct Transmission {
  Rank peer = -1;
  Chunk chunk = {};
  bool is_present() const { return peer >= 0 && chunk.count > 0; }
};

/// What a rank does in one step of a collective: sends a chunk and receives a chunk at the same time, then
/// reduces what it received into its own data, or copies it there. The next step begins when both are
/// complete.
struct Round {
  enum class Action { reduce, copy };
  Transmission send = {};
  Transmission receive = {};
  Action action = Action::copy;
};

/// A collective operation on `count` elements over P ranks, as the rounds of every rank.
///
/// Pure arithmetic: no messages, no time, nothing stored per rank or round. What runs it, evaluates it or
/// proves it right asks for one round at a time. The m-th chunk that a sends to b must have the size of the
/// m-th that b receives from a.
class Schedule {
 public:
  virtual ~Schedule() = default;

  virtual std::string name() const = 0;
  /// Whether it is one ring of all ranks (ring.hpp), each of which sends to the next one only.
  virtual bool is_ring() const { return false; }
  int ranks() const { return ranks_; }
  /// The ranks among which `rank` does it, itself one of them, in ascending order; empty: among all.
  virtual std::span<const Rank> group_of([[maybe_unused]] Rank rank) const { return {}; }
  std::int64_t count() const { return count_; }
  /// Rounds of `rank`; ranks may differ.
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
