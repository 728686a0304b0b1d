#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "algorithms/collectives/schedules/ring.hpp"

namespace starling {

/// The sizes of the chunks of a ring: the first `larger_chunks` chunks have one element more than the others.
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

/// The next and the previous rank in a ring of `ranks` ranks; likewise for chunk numbers.
constexpr std::size_t right_of(std::size_t rank, std::size_t ranks) {
  return rank + 1 == ranks ? 0 : rank + 1;
}
constexpr std::size_t left_of(std::size_t rank, std::size_t ranks) {
  return rank == 0 ? ranks - 1 : rank - 1;
}

/// The chunk that rank 0 sends in a step; rank r sends the r-th chunk after it.
inline int first_chunk_sent(int step, int ranks) { return Ring(0, ranks).behind(step % ranks + 1); }
/// The index in ChunkSizes::bytes of the chunk that `rank` sends in the step in which rank 0 sends
/// `first_chunk`.
inline std::size_t size_sent(const ChunkSizes& chunks, int first_chunk, std::size_t rank, std::size_t ranks) {
  const std::size_t chunk = static_cast<std::size_t>(first_chunk) + rank;
  return chunks.size_of(static_cast<int>(chunk < ranks ? chunk : chunk - ranks));
}

}  // namespace starling
