#pragma once

#include <optional>
#include <string_view>

#include "base/options/option_visitor.hpp"

namespace starling {

/// The most cables that a network may have; its links then take about 2 GB of memory.
inline constexpr int largest_cable_count = 1 << 23;

/// The greatest number of ports of a switch, and of switches of one level or sort.
inline constexpr int most_ports = 1 << 20;
inline constexpr IntegerRange port_range{.least = 1, .greatest = most_ports};

/// Bandwidth and latency of a cable, the same in both directions. The bandwidth must be from 1 to 1e18 B/s,
/// so its default is not usable; the latency must be from 0 to 1e9 s.
struct LinkOptions {
  double bandwidth_Bps = 0;
  double latency_s = 0;
};

void describe(LinkOptions& link, OptionVisitor& visitor);

/// Describes the option `link`, which is required.
void describe_needed_link(OptionVisitor& visitor, std::string_view meaning, LinkOptions& link);

/// Describes an optional size and returns its value, which is `otherwise` if it is absent. An absent size
/// stays absent in the struct, as its default may depend on sizes that change later. If `is_known` (the
/// number of hosts is), visitors are told the default as a value; otherwise they see an absent option.
int described_size(OptionVisitor& visitor, const Option& option, std::optional<int>& size, int otherwise,
                   IntegerRange range, bool is_known);

}  // namespace starling
