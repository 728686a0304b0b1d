#pragma once

#include <vector>

#include "base/types.hpp"

namespace starling {

/// The bytes that one rank sends to another. Where only ratios matter, any other unit will do.
struct RankTraffic {
  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
};

/// At most one entry for each pair of ranks, sorted by source, then destination.
using TrafficMatrix = std::vector<RankTraffic>;

/// One matrix for each round: the messages of a round are sent at the same time, rounds one after the other.
using TrafficRounds = std::vector<TrafficMatrix>;

}  // namespace starling
