#include "analysis/model/stretched_network.hpp"

namespace starling {

StretchedRoutes::StretchedRoutes(const Routes& routes, double factor)
    : routes_(routes), links_(routes.links().begin(), routes.links().end()) {
  for (Link& link : links_) {
    link.bandwidth_Bps /= factor;
    link.latency_s *= factor;
  }
}

MessageCosts stretched(MessageCosts costs, double factor) {
  costs.overhead_s *= factor;
  costs.reduction_s_per_byte *= factor;
  costs.wake_up_s *= factor;
  for (Protocol& protocol : costs.protocols) {
    protocol.latency_s *= factor;
    protocol.intra_host_latency_s *= factor;
  }
  return costs;
}

}  // namespace starling
