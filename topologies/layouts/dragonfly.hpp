#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

enum class DragonflyRouting {
  /// Directly to the destination's group: at most one local link, one global link and one local link.
  minimal,
  /// First to an intermediate group, neither that of the source nor that of the destination, chosen by a hash
  /// of both hosts; from there on minimal. This spreads the traffic from all hosts of a group to one other
  /// group. Inside a group, and if there are only two groups, routes are minimal.
  valiant,
};

/// Routers in groups: local links join all routers of a group to each other, global links join all groups to
/// each other. Hosts fill router after router and group after group; all routers are built, even those
/// without hosts.
///
/// With a routers per group, and p hosts and h global links per router, a dragonfly has room for ap(ah + 1)
/// hosts. It is balanced if a = 2p = 2h; the default sizes are. Between any two of the g groups there are
/// ⌊ah/(g − 1)⌋ global links, in the palmtree arrangement: port n = 0, 1, … of group i, which is port n mod h
/// of router ⌊n/h⌋, leads to group (i − 1 − (n mod (g − 1))) mod g. Remaining ports stay empty.
///
/// References: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008
/// (balance in section 3.1, both routings in 4.1); Camarero, Vallejo, Beivide, "Topological characterization
/// of Hamming and dragonfly networks and its implications on routing", ACM TACO 11(4), 2014 (palmtree);
/// Valiant, "A scheme for fast parallel communication", SIAM J. Comput. 11(2), 1982.
struct DragonflyOptions {
  static constexpr std::string_view name = "dragonfly";
  static constexpr std::string_view summary =
      "groups of routers, connected all to all inside each group and between groups; minimal or Valiant "
      "routing";
  /// a; the default is that of the smallest balanced dragonfly (a = 2p = 2h) with room for the hosts.
  std::optional<int> routers_per_group = {};
  /// p; the default is a/2.
  std::optional<int> hosts_per_router = {};
  /// h; the default is a/2.
  std::optional<int> global_links_per_router = {};
  /// g, at most ah + 1; the default is as many as the hosts need.
  std::optional<int> groups = {};
  DragonflyRouting routing = DragonflyRouting::minimal;
  /// From a host to its router.
  LinkOptions link = {};
  /// Between routers of a group, and between routers of two groups; the default is `link`.
  std::optional<LinkOptions> local_link = {};
  std::optional<LinkOptions> global_link = {};
};

void describe_kind(DragonflyOptions& options, int hosts, OptionVisitor& visitor);

/// The number of groups of a dragonfly with that many hosts, given or by default. O(1) if routers_per_group
/// is given.
int dragonfly_groups(int hosts, const DragonflyOptions& options);

/// The fewest groups with which Valiant routes differ from minimal ones.
inline constexpr int least_groups_of_detours = 3;

/// Two hosts are 2 links apart on the same router, 3 in the same group, otherwise 3 to 5. Routes are computed
/// in closed form: O(1) per hop, and O(⌊ah/(g − 1)⌋) per hop towards another group. Valiant routes have up to
/// 7 links; the diameter does not count them.
///
/// The options must be such as `describe_kind` accepts for that number of hosts.
/// @throws std::invalid_argument if there are too many cables to build.
Fabric build_dragonfly(int hosts, const DragonflyOptions& options);

}  // namespace starling
