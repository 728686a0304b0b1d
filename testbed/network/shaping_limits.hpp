#pragma once

#include <stdexcept>
#include <string>

#include "testbed/network/host_routes.hpp"

namespace starling {

/// The network cannot be had on this machine; the text names the link or route, its value, and the limit.
class CannotShapeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ShapingLimits {
  double greatest_bandwidth_Bps = 0;
  double least_bandwidth_Bps = 0;
  /// The least of a whole route: the switch cannot deliver a frame sooner.
  double least_latency_s = 0;
  int most_hosts = 0;
};

/// What a user-space switch on this machine can do; testbed/README.md says how it was measured.
ShapingLimits shaping_limits();

/// The total bandwidth of all hosts that the switch was seen to keep on two cores of 2.3 GHz without other
/// work.
constexpr double reliable_total_Bps = 3e9 / 8;
/// The bandwidth of all links on which hosts send, together.
double total_bandwidth_Bps(const HostRoutes& routes);
/// A text that says that the total bandwidth is more than the switch keeps, if it is; else empty.
std::string doubt_of_rates(const HostRoutes& routes);

/// @throws CannotShapeError.
void check_can_be_shaped(const HostRoutes& routes, const ShapingLimits& limits);

}  // namespace starling
