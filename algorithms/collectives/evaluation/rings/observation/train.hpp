#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

/// Evenly spaced times of messages: message i has time first_s + i · gap_s.
struct EvenTimes {
  double first_s = 0;
  double gap_s = 0;
  double of(std::int64_t message) const { return first_s + static_cast<double>(message) * gap_s; }
};

/// Messages of one size that a rank of a ring sends one after the other, at even distances in time.
struct Train {
  std::int64_t messages = 0;
  std::size_t size = 0;  // index in ChunkSizes::bytes: 1 for the larger chunks
  bool passes = false;   // small messages that do not queue for their links
  EvenTimes ready = {};  // they may flow: under rendezvous once the receiver has answered
  EvenTimes start = {};  // the first byte leaves
  EvenTimes arrival = {};
};

}  // namespace starling
