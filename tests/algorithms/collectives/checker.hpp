#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// What a collective must leave where.
struct Expectation {
  enum class What {
    /// Every rank: the contribution of each rank of its group once, in every element.
    allreduce,
    /// Every rank: every contribution once, in its chunk.
    reduce_scatter,
    /// Every rank: in each rank's chunk what that had there, and nothing else.
    allgather,
    /// Every rank: what the root had.
    broadcast,
    /// The root: every contribution once.
    reduce,
    /// No rank ends before every rank has begun.
    barrier,
  };
  What what = What::allreduce;
  Rank root = 0;
  /// For `allreduce`: the group of each rank, as any number; empty if all are one group.
  std::vector<int> group = {};
  /// For `reduce_scatter` and `allgather`: which chunk of EvenPartition(count, ranks) each rank has; by
  /// default that with its number.
  std::vector<int> chunks = {};

  int chunk_of(Rank rank) const { return chunks.empty() ? rank : chunks[static_cast<std::size_t>(rank)]; }
};

/// Proves a schedule right without running it, or returns the first thing that is wrong with it, in words.
///
/// Goes through the rounds of all ranks together and tracks, per run of elements that no chunk boundary
/// divides, how often each rank's contribution is in it. Beside the expectation it checks that peers are
/// ranks, chunks lie inside the buffer, each message is sent and received with the same elements and in the
/// same order, that no round receives into what it sends, and that all rounds complete even if a send waits
/// for its receiver.
///
/// O(messages · P · runs per chunk) time, O(P² · runs) memory: for tens of ranks.
std::optional<std::string> find_violation(const Schedule& schedule, const Expectation& expectation);

}  // namespace starling
