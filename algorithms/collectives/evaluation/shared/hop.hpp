#pragma once

#include <compare>

namespace starling {

/// The route from one worker to another as a single link, with the sum of its latencies and its least
/// bandwidth. The hops of a ring lead from each rank to the next; a hop may pass several physical links.
struct Hop {
  double latency_s = 0;
  double back_latency_s = 0;  // latency of the route in the opposite direction
  double s_per_byte = 0;
  bool is_inside_host = false;
  bool is_of_ring = false;  // belongs to a ring of all ranks, so its messages may be paced
  auto operator<=>(const Hop&) const = default;
};

}  // namespace starling
