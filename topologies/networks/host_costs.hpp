#pragma once

#include <limits>

namespace starling {

/// What the hosts' network software costs a message between hosts, beside what links and workers do.
struct HostCosts {
  double goodput = 1;    // share of a link's bandwidth that carries data, the rest being headers
  double latency_s = 0;  // on each host that a message leaves, and occupies nothing
  /// The most that a host moves over a cable of its own, in each direction.
  double rate_Bps = std::numeric_limits<double>::infinity();
};

}  // namespace starling
