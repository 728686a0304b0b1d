#include "topologies/layouts/option_checks.hpp"

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

void check_cable_count(std::string_view kind, double cables) {
  if (cables > largest_cable_count) {
    reject("{}: this network has {:.0f} cables; the most that can be built is {}", kind, cables,
           largest_cable_count);
  }
}

}  // namespace starling
