#pragma once

#include <optional>
#include <string_view>

#include "base/options/option_visitor.hpp"

namespace starling {

/// The most cables a network may have; its links then take about 2 GB.
inline constexpr int largest_cable_count = 1 << 23;

/// The most ports of a switch, and the most switches of one sort.
inline constexpr int most_ports = 1 << 20;
inline constexpr IntegerRange port_range{.least = 1, .greatest = most_ports};

/// One direction of a cable; the other direction is alike. Neither member has a usable default: the bandwidth
/// must be from 1 to 1e18 B/s, the latency from 0 to 1e9 s.
struct LinkOptions {
  double bandwidth_Bps = 0;
  double latency_s = 0;
};

void describe(LinkOptions& link, OptionVisitor& visitor);

/// The option `link`, which must be given.
void describe_needed_link(OptionVisitor& visitor, std::string_view meaning, LinkOptions& link);

/// Describes a size, and returns it. Where it is left out it stays so, and what it comes to is told where
/// that is known, as the number of hosts is: sizes described before may change.
int described_size(OptionVisitor& visitor, const Option& option, std::optional<int>& size, int otherwise,
                   IntegerRange range, bool is_known);

}  // namespace starling
