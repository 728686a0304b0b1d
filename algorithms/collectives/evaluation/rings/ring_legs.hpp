#pragma once

#include <array>
#include <vector>

#include "algorithms/collectives/evaluation/rings/ring_chunks.hpp"
#include "algorithms/collectives/evaluation/rings/ring_hops.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/hop.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"

namespace starling {

/// The legs of a hop, by the index of the chunk size (1: larger).
using Legs = std::array<Leg, 2>;

/// The legs of every kind of hop, in the order of RingHops::kinds.
inline std::vector<Legs> legs_of(const ChunkSizes& chunks, const RingHops& hops, const FreeRoutes& network) {
  std::vector<Legs> legs;
  for (const Hop& hop : hops.kinds)
    legs.push_back({network.leg(chunks.bytes[0], hop), network.leg(chunks.bytes[1], hop)});
  return legs;
}

}  // namespace starling
