#include "testbed/network/shaping_limits.hpp"

#include <fmt/format.h>

#include "testbed/network/address_plan.hpp"

namespace starling {
namespace {

void check_link(const Link& link, const ShapingLimits& limits) {
  const double greatest = limits.greatest_bandwidth_Bps;
  const double least = limits.least_bandwidth_Bps;
  if (link.bandwidth_Bps > greatest || link.bandwidth_Bps < least)
    throw CannotShapeError(fmt::format(
        "the link {} cannot be emulated: {:g} Mbps; this machine's switch sustains {:g} Mbps to {:g} Mbps",
        link.name, link.bandwidth_Bps * 8e-6, least * 8e-6, greatest * 8e-6));
}

double latency_s(const HostRoutes& routes, int source, int destination) {
  double sum_s = 0;
  for (const LinkIndex index : routes.route(source, destination)) sum_s += routes.link(index).latency_s;
  return sum_s;
}

void check_route(const HostRoutes& routes, int source, int destination, const ShapingLimits& limits) {
  const double route_latency_s = latency_s(routes, source, destination);
  if (route_latency_s >= limits.least_latency_s) return;
  throw CannotShapeError(
      fmt::format("the route from host {} to host {} cannot be emulated: its total latency is {:g} us; the "
                  "switch needs at least {:g} us",
                  source, destination, route_latency_s * 1e6, limits.least_latency_s * 1e6));
}

}  // namespace

ShapingLimits shaping_limits() {
  return {.greatest_bandwidth_Bps = 1e9 / 8,
          .least_bandwidth_Bps = 1e5 / 8,
          .least_latency_s = 20e-6,
          .most_hosts = address_plan::most_hosts};
}

double total_bandwidth_Bps(const HostRoutes& routes) {
  double sum_Bps = 0;
  for (const LinkIndex index : routes.used_links())
    if (routes.link(index).is_entry) sum_Bps += routes.link(index).bandwidth_Bps;
  return sum_Bps;
}

std::string total_rate_warning(const HostRoutes& routes) {
  const double total_Bps = total_bandwidth_Bps(routes);
  if (total_Bps <= reliable_total_Bps) return "";
  return fmt::format("all hosts together can send {:g} Gbps; on two cores the switch sustains {:g} Gbps",
                     total_Bps * 8e-9, reliable_total_Bps * 8e-9);
}

void check_can_be_shaped(const HostRoutes& routes, const ShapingLimits& limits) {
  if (routes.hosts() < 2 || routes.hosts() > limits.most_hosts)
    throw CannotShapeError(
        fmt::format("a testbed has 2 to {} hosts, this network has {}", limits.most_hosts, routes.hosts()));
  for (const LinkIndex index : routes.used_links()) check_link(routes.link(index), limits);
  for (int source = 0; source < routes.hosts(); ++source)
    for (int destination = 0; destination < routes.hosts(); ++destination)
      if (source != destination) check_route(routes, source, destination, limits);
}

}  // namespace starling
