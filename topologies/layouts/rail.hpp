#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// How a message comes to the rail of the card that it is for.
enum class CrossRail {
  /// Inside the host of its sender, to the worker whose card is on that rail, and on from there. NCCL
  /// does so since version 2.12, where it is called PXN.
  pxn,
  /// On the sender's rail, over a spine switch, and down to the other rail.
  spines,
};

/// A switch for the first network card of every host, one for the second, and so on. With spines, every rail
/// switch is joined to each of them, and a rail may have several switches, one for every so many hosts.
///
/// With n cards and L workers a host, worker i uses card ⌊i·n/L⌋: what it sends to another host leaves by
/// that card, and what is sent to it arrives there. So worker i has card i where L = n.
///
/// References: NVIDIA, "Doubling all2all performance with NVIDIA Collective Communication Library 2.12", 2022
/// (PXN, and rails); Wang, Ghobadi, Shakeri, Zhang, Hasani, "Rail-only: a low-cost high-performance network
/// for training LLMs with trillion parameters", HOTI 2024 (rails without spines).
struct RailOptions {
  static constexpr std::string_view name = "rail";
  static constexpr std::string_view summary =
      "network card i of every host on rail i, rails joined inside hosts or by spine switches";
  /// From a network card to its rail switch.
  LinkOptions link = {};
  /// How many hosts each rail switch serves; left out, all.
  std::optional<int> hosts_per_switch = {};
  /// Needed where a rail has several switches, or where messages change rails over them.
  int spines = 0;
  /// What a rail switch takes in from hosts over what it passes on to the spines: gives the bandwidth from
  /// rail switch to spine as hosts_per_switch·bandwidth/(spines·oversubscription), latency as `link`.
  /// Left out together with `spine_link`: 1.
  std::optional<double> oversubscription = {};
  /// From a rail switch to a spine, given outright; excludes `oversubscription`.
  std::optional<LinkOptions> spine_link = {};
  CrossRail cross_rail = CrossRail::pxn;
};

void describe_kind(RailOptions& options, int hosts, OptionVisitor& visitor);

/// Two cards of one rail are 2 links apart, or 4 where the rail has several switches; of two rails, over
/// the spines, 4. Routes in closed form.
///
/// The options are as `describe_kind` accepts them for so many hosts.
/// @throws std::invalid_argument if links are given to spines that are not there, or there are too many
/// cables to build.
Fabric build_rails(int hosts, int nics_per_host, const RailOptions& options);

}  // namespace starling
