#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Jellyfish: every switch has `hosts_per_switch` ports for hosts, and its other ports lead to switches
/// chosen at random. Hosts fill switch after switch. Two switches have at most one cable between them; where
/// the number of ports to switches is odd in all, one of them stays empty.
///
/// Reference: Singla, Hong, Popa, Godfrey, "Jellyfish: networking data centers randomly", NSDI 2012.
struct RandomRegularOptions {
  static constexpr std::string_view name = "random_regular";
  static constexpr std::string_view summary =
      "switches joined at random, all with the same numbers of host ports and of switch ports (Jellyfish)";
  /// How many a switch has, to hosts and to other switches together.
  int ports = 0;
  int hosts_per_switch = 0;
  /// Left out: as many as the hosts need.
  std::optional<int> switches = {};
  /// What the cables follow from. It is the network's own: replications of a scenario with other seeds keep
  /// the network.
  std::uint64_t seed = 1;
  /// From a host to its switch.
  LinkOptions link = {};
  /// Between switches; left out, the same as `link`.
  std::optional<LinkOptions> switch_link = {};
};

void describe_kind(RandomRegularOptions& options, int hosts, OptionVisitor& visitor);

/// Builds the fabric, the same on every platform. Routes are shortest paths found by search; O(cables) to
/// build.
///
/// Pairs of free ports are joined as the paper says. Where the last two are of one switch, or of two that are
/// joined already, a random cable is taken away and both its ends joined to the two. Networks that are not
/// connected are drawn again, up to 100 times.
///
/// The options are as `describe_kind` accepts them for so many hosts.
/// @throws std::invalid_argument if there are too many cables to build, or no network drawn is connected.
Fabric build_random_regular(int hosts, const RandomRegularOptions& options);

}  // namespace starling
