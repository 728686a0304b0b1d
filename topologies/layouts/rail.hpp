#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// How a message gets to the rail of the receiver's card.
enum class CrossRail {
  /// Inside the sender's host, to the worker whose card is on that rail, and from there over the network.
  /// NCCL 2.12 and later do this and call it PXN.
  pxn,
  /// Over the network: from the sender's rail over a spine switch to the other rail.
  spines,
};

/// One switch (a rail) for the first network card of every host, one for the second, and so on. With spines,
/// every rail switch is joined to each spine, and a rail may have several switches, one per block of
/// `hosts_per_switch` hosts.
///
/// With n cards and L workers per host, worker i of a host uses card ⌊i·n/L⌋ for all that it sends to and
/// receives from other hosts. So worker i has card i if L = n.
///
/// References: NVIDIA, "Doubling all2all performance with NVIDIA Collective Communication Library 2.12", 2022
/// (PXN, and rails); Wang, Ghobadi, Shakeri, Zhang, Hasani, "Rail-only: a low-cost high-performance network
/// for training LLMs with trillion parameters", HOTI 2024 (rails without spines).
struct RailOptions {
  static constexpr std::string_view name = "rail";
  static constexpr std::string_view summary =
      "network card i of every host is on rail i; rails are connected inside hosts or by spine switches";
  /// From a network card to its rail switch.
  LinkOptions link = {};
  /// How many hosts each rail switch serves; the default is all.
  std::optional<int> hosts_per_switch = {};
  /// The number of spine switches. At least 1 if a rail has several switches or cross_rail is `spines`.
  int spines = 0;
  /// The bandwidth of a rail switch to its hosts over that to the spines. A link from rail switch to spine
  /// gets the bandwidth hosts_per_switch·bandwidth/(spines·oversubscription) and the latency of `link`. The
  /// default, if there is no `spine_link` either, is 1.
  std::optional<double> oversubscription = {};
  /// From a rail switch to a spine; excludes `oversubscription`.
  std::optional<LinkOptions> spine_link = {};
  CrossRail cross_rail = CrossRail::pxn;
};

void describe_kind(RailOptions& options, int hosts, OptionVisitor& visitor);

/// Two cards on the same rail are 2 links apart, or 4 if they are on different switches of it; cards on
/// different rails are 4 links apart, over the spines. Routes are in closed form.
///
/// The options must be such as `describe_kind` accepts for that number of hosts.
/// @throws std::invalid_argument if `oversubscription` or `spine_link` is given without spines, or there are
/// too many cables to build.
Fabric build_rails(int hosts, int nics_per_host, const RailOptions& options);

}  // namespace starling
