#include "topologies/layouts/option_checks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace starling {

void check_link(std::string_view where, const LinkOptions& link) {
  if (!(link.bandwidth_Bps > 0) || !std::isfinite(link.bandwidth_Bps)) {
    reject("{}: bandwidth must be positive and finite, got {} B/s", where, link.bandwidth_Bps);
  }
  if (!(link.latency_s >= 0) || !std::isfinite(link.latency_s)) {
    reject("{}: latency must be at least 0 and finite, got {} s", where, link.latency_s);
  }
}

LinkOptions uplink_of(std::string_view kind, const LinkOptions& link, int hosts_per_switch, int spines,
                      std::optional<double> oversubscription, const std::optional<LinkOptions>& spine_link) {
  if (spine_link) {
    if (oversubscription)
      reject("{}: both oversubscription and spine_link are given; give one of them", kind);
    check_link(fmt::format("{}: spine_link", kind), *spine_link);
    return *spine_link;
  }
  const double ratio = oversubscription.value_or(1);
  if (!(ratio > 0) || !std::isfinite(ratio))
    reject("{}: oversubscription must be positive and finite, got {}", kind, ratio);
  const LinkOptions uplink = {hosts_per_switch * link.bandwidth_Bps / (spines * ratio), link.latency_s};
  check_link(fmt::format("{}: spine link from oversubscription", kind), uplink);
  return uplink;
}

void check_cable_count(std::string_view kind, double cables) {
  if (cables > largest_cable_count) {
    reject("{}: this network has {:.0f} cables; the most that can be built is {}", kind, cables,
           largest_cable_count);
  }
}

}  // namespace starling
