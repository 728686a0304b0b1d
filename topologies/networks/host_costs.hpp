#pragma once

#include <limits>

namespace starling {

/// Costs that the network stack of the hosts adds to a message between hosts, beyond those of links and
/// workers.
struct HostCosts {
  double goodput = 1;    // share of a link's bandwidth that carries data; headers take the rest
  double latency_s = 0;  // added on each host that a message leaves; occupies no resource
  /// The most that a host sends, and the most that it receives, over one of its cables.
  double rate_Bps = std::numeric_limits<double>::infinity();
};

}  // namespace starling
