#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Slim Fly: 2q² switches with diameter 2, joined as in the graph of McKay, Miller and Širáň for a prime
/// power q = 4w + δ, δ = −1, 0 or 1. Hosts fill switch after switch; all switches are built, even those
/// without hosts.
///
/// Switches are (0, x, y) and (1, m, c) with x, y, m, c in the field of q elements, numbered in this order.
/// (0, x, y) and (0, x, y') are joined if y − y' is in X, (1, m, c) and (1, m, c') if c − c' is in ξX, and
/// (0, x, y) and (1, m, c) if y = mx + c. For a primitive element ξ, X is 1, ξ², … ξ^(q−3) for δ = 1; 1, ξ²,
/// … ξ^(q−2) for δ = 0; and 1, ξ², … ξ^(2w−2), ξ^(2w−1), ξ^(2w+1), … ξ^(4w−3) for δ = −1. So a switch has k'
/// = (3q − δ)/2 cables to other switches; with p = ⌈k'/2⌉ hosts per switch, hosts get full global bandwidth.
///
/// References: Besta, Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014 (of the
/// routings of section IV only the minimal one is here); McKay, Miller, Širáň, "A note on large graphs of
/// diameter two and given maximum degree", J. Comb. Theory B 74(1), 1998; Hafner, "Geometric realisation of
/// the graphs of McKay–Miller–Širáň", J. Comb. Theory B 90(2), 2004 (the sets X).
struct SlimFlyOptions {
  static constexpr std::string_view name = "slim_fly";
  static constexpr std::string_view summary =
      "switches with at most one other switch between any two (diameter 2); minimal routes";
  /// A prime power, at least 3; the default is the least with room for the hosts.
  std::optional<int> q = {};
  /// p; the default is ⌈k'/2⌉.
  std::optional<int> hosts_per_switch = {};
  /// From a host to its switch.
  LinkOptions link = {};
  /// Between switches; the default is `link`.
  std::optional<LinkOptions> switch_link = {};
};

void describe_kind(SlimFlyOptions& options, int hosts, OptionVisitor& visitor);

/// Two hosts are 2 links apart on the same switch, otherwise 3 or 4. Routes are in closed form: O(1) per hop,
/// but O(q) between switches that differ in y or c only.
///
/// The options must be such as `describe_kind` accepts for that number of hosts.
/// @throws std::invalid_argument if the hosts need a q beyond 256, or there are too many cables to build.
Fabric build_slim_fly(int hosts, const SlimFlyOptions& options);

}  // namespace starling
