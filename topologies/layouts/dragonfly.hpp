#pragma once

#include <optional>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

enum class DragonflyRouting {
  /// Straight to the other group: at most one local link, one global and one local.
  minimal,
  /// First to a group that is neither that of the source nor that of the destination, which a hash of both
  /// hosts chooses, and from there on minimally: spreads what all hosts of a group send to one other group.
  /// Inside a group, and where there are only two, minimal.
  valiant,
};

/// Groups of routers that are joined all to all by local links, and groups joined all to all by global ones.
/// Hosts fill router after router, group after group; all routers are there in any case.
///
/// With a routers a group, p hosts and h global links a router, a dragonfly has room for ap(ah + 1) hosts. It
/// is balanced where a = 2p = 2h, which is what sizes left out come to. Between two of g groups there
/// are ⌊ah/(g − 1)⌋ global links, in the palmtree arrangement: port n = 0 … of group i, which is port n mod h
/// of router ⌊n/h⌋, leads to group i − 1 − (n mod (g − 1)) mod g; ports left over stay empty.
///
/// References: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008
/// (balance in section 3.1, both routings in 4.1); Camarero, Vallejo, Beivide, "Topological characterization
/// of Hamming and dragonfly networks and its implications on routing", ACM TACO 11(4), 2014 (palmtree);
/// Valiant, "A scheme for fast parallel communication", SIAM J. Comput. 11(2), 1982.
struct DragonflyOptions {
  static constexpr std::string_view name = "dragonfly";
  static constexpr std::string_view summary =
      "groups of routers, all to all inside each and between them; minimal or Valiant's routes";
  /// a; if left out, that of the smallest balanced dragonfly (a = 2p = 2h) with room for the hosts.
  std::optional<int> routers_per_group = {};
  /// p; left out, a/2.
  std::optional<int> hosts_per_router = {};
  /// h; left out, a/2.
  std::optional<int> global_links_per_router = {};
  /// g, at most ah + 1; left out, as many as the hosts need.
  std::optional<int> groups = {};
  DragonflyRouting routing = DragonflyRouting::minimal;
  /// From a host to its router.
  LinkOptions link = {};
  /// Between routers of a group, and of two groups; left out, the same as `link`.
  std::optional<LinkOptions> local_link = {};
  std::optional<LinkOptions> global_link = {};
};

void describe_kind(DragonflyOptions& options, int hosts, OptionVisitor& visitor);

/// Two hosts are 2 links apart on one router, 3 in one group, else 3 to 5. Routes are in closed form, O(1)
/// for a step and ⌊ah/(g − 1)⌋ between groups; Valiant's have up to 7 links, which the diameter leaves out.
///
/// The options are as `describe_kind` accepts them for so many hosts.
/// @throws std::invalid_argument if there are too many cables to build.
Fabric build_dragonfly(int hosts, const DragonflyOptions& options);

}  // namespace starling
