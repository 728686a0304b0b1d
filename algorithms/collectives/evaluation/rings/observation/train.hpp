#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

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

}  // namespace starling
