#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/link_options.hpp"

namespace starling {

/// The link from a switch with `hosts_per_switch` hosts to each of the spines: `spine_link` if it is given,
/// otherwise the bandwidth of the hosts divided by `oversubscription` (default 1) and among the spines.
/// @throws std::invalid_argument if both are given.
LinkOptions uplink_of(std::string_view kind, const LinkOptions& link, int hosts_per_switch, int spines,
                      std::optional<double> oversubscription, const std::optional<LinkOptions>& spine_link);

/// @throws std::invalid_argument if `cables` exceeds largest_cable_count. The count is a double, so that no
/// product of options overflows.
void check_cable_count(std::string_view kind, double cables);

}  // namespace starling
