#pragma once

#include <vector>

#include "base/types.hpp"

namespace starling {

/// What one rank sends to another, in whatever unit.
struct RankTraffic {
  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
};

/// Each pair of ranks at most once, by source, then destination.
using TrafficMatrix = std::vector<RankTraffic>;

/// What is sent at the same time, one matrix after the other.
using TrafficRounds = std::vector<TrafficMatrix>;

}  // namespace starling
