#include "topologies/layouts/option_checks.hpp"

#include "base/reject.hpp"

namespace starling {

LinkOptions uplink_of(std::string_view kind, const LinkOptions& link, int hosts_per_switch, int spines,
                      std::optional<double> oversubscription, const std::optional<LinkOptions>& spine_link) {
  if (!spine_link)
    return {hosts_per_switch * link.bandwidth_Bps / (spines * oversubscription.value_or(1)), link.latency_s};
  if (oversubscription) reject("{}: both oversubscription and spine_link are given; give one of them", kind);
  return *spine_link;
}

void check_cable_count(std::string_view kind, double cables) {
  if (cables > largest_cable_count) {
    reject("{}: this network has {:.0f} cables; the most that can be built is {}", kind, cables,
           largest_cable_count);
  }
}

}  // namespace starling
