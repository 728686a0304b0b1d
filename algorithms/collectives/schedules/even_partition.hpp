#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "base/errors.hpp"

namespace starling {

/// `count` elements cut into consecutive chunks whose sizes differ by at most one element; larger chunks come
/// first.
class EvenPartition {
 public:
  EvenPartition(std::int64_t count, int chunks) : chunks_(chunks) {
    STARLING_INVARIANT(count >= 0 && chunks >= 1);
    smaller_ = count / chunks;
    larger_chunks_ = count % chunks;
  }

  int chunks() const { return chunks_; }

  /// Where chunk `index` begins, 0 ≤ index ≤ chunks(). O(1), no division.
  std::int64_t offset(int index) const {
    return index * smaller_ + std::min<std::int64_t>(index, larger_chunks_);
  }

  Chunk chunk(int index) const {
    return {.offset = offset(index), .count = smaller_ + (index < larger_chunks_ ? 1 : 0)};
  }

  /// The chunks first … first+chunks−1 as one chunk.
  Chunk range(int first, int chunks) const {
    const std::int64_t begin = offset(first);
    return {.offset = begin, .count = offset(first + chunks) - begin};
  }

 private:
  int chunks_;
  std::int64_t smaller_;
  std::int64_t larger_chunks_;
};

}  // namespace starling
