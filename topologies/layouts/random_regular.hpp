#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Jellyfish: every switch has `hosts_per_switch` ports for hosts, and its other ports lead to switches
/// chosen at random. Hosts fill switch after switch. At most one cable joins two switches. If the total
/// number of ports to switches is odd, one of them stays empty.
///
/// Reference: Singla, Hong, Popa, Godfrey, "Jellyfish: networking data centers randomly", NSDI 2012.
struct RandomRegularOptions {
  static constexpr std::string_view name = "random_regular";
  static constexpr std::string_view summary =
      "randomly connected switches, all with the same numbers of ports to hosts and to switches (Jellyfish)";
  /// Ports of a switch, to hosts and to other switches together.
  int ports = 0;
  int hosts_per_switch = 0;
  /// The default is as many as the hosts need.
  std::optional<int> switches = {};
  /// Determines the cables. It is separate from the scenario's seed, so replications with other seeds use the
  /// same network.
  std::uint64_t seed = 1;
  /// From a host to its switch.
  LinkOptions link = {};
  /// Between switches; the default is `link`.
  std::optional<LinkOptions> switch_link = {};
};

void describe_kind(RandomRegularOptions& options, int hosts, OptionVisitor& visitor);

/// Builds the fabric; the same seed gives the same fabric on every platform. Routes are shortest paths, found
/// by search. Building takes O(cables).
///
/// Random pairs of free ports are joined, as in the paper. If the last two free ports belong to one switch,
/// or to two that are joined already, a random cable is removed and its two ends are joined to them. Networks
/// that are not connected are drawn again, up to 100 times.
///
/// The options must be such as `describe_kind` accepts for that number of hosts.
/// @throws std::invalid_argument if there are too many cables to build, or none of the networks drawn is
/// connected.
Fabric build_random_regular(int hosts, const RandomRegularOptions& options);

}  // namespace starling
