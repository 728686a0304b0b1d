#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/link_options.hpp"

namespace starling {

/// From a switch with so many hosts to each of the spines: `spine_link` where it is given, else what
/// `oversubscription` leaves of the hosts' bandwidth (1: all of it).
/// @throws std::invalid_argument where both are given.
LinkOptions uplink_of(std::string_view kind, const LinkOptions& link, int hosts_per_switch, int spines,
                      std::optional<double> oversubscription, const std::optional<LinkOptions>& spine_link);

/// @throws std::invalid_argument if a network of that many cables is too large to build. The count is a
/// double, which no product of options overflows.
void check_cable_count(std::string_view kind, double cables);

}  // namespace starling
