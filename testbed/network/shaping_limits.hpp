#pragma once

#include <stdexcept>
#include <string>

#include "testbed/network/host_routes.hpp"

namespace starling {

/// The network cannot be emulated on this machine; the text names the link or route, its value, and the
/// limit.
class CannotShapeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ShapingLimits {
  double greatest_bandwidth_Bps = 0;
  double least_bandwidth_Bps = 0;
  /// The least latency of a whole route, as the switch cannot deliver a frame sooner.
  double least_latency_s = 0;
  int most_hosts = 0;
};

/// The limits of a user-space switch on one machine; testbed/README.md has the measurements.
ShapingLimits shaping_limits();

/// The total bandwidth of all hosts that the switch sustained on two cores of 2.3 GHz without other load.
constexpr double reliable_total_Bps = 3e9 / 8;
/// The sum of the bandwidths of all links that leave hosts and are in use.
double total_bandwidth_Bps(const HostRoutes& routes);
/// A warning if total_bandwidth_Bps() exceeds reliable_total_Bps; otherwise empty.
std::string total_rate_warning(const HostRoutes& routes);

/// @throws CannotShapeError if the number of hosts, a link or a route is beyond the limits.
void check_can_be_shaped(const HostRoutes& routes, const ShapingLimits& limits);

}  // namespace starling
