#pragma once

#include <compare>

namespace starling {

/// A route from one worker to another as one link: the sum of its latencies and its least bandwidth. (Of a
/// ring: the hop from a rank to the next, which may pass several links.)
struct Hop {
  double latency_s = 0;
  double back_latency_s = 0;  // of the route back
  double s_per_byte = 0;
  bool is_inside_host = false;
  bool is_of_ring = false;  // of all ranks
  auto operator<=>(const Hop&) const = default;
};

}  // namespace starling
