#pragma once

#include <span>
#include <string>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// One level of switches of a generalized fat tree and its cables down to the level below.
struct TreeLevel {
  std::string switch_name;
  int down = 1;
  int up = 1;
  int parallel = 1;
  LinkOptions link = {};
};

/// The number of ports for hosts, ∏ down. A double, which does not overflow.
double host_ports(std::span<const TreeLevel> levels);

/// The number of cables if every port holds a host.
double tree_cables(std::span<const TreeLevel> levels);

/// A generalized fat tree XGFT(h; down…; up…), levels from the hosts upward: star, leaf_spine and fat_tree.
///
/// A vertex of level i is a pair (A, B): A numbers the subtrees of height i, B the vertices that are roots of
/// the same subtree. Its parents are (⌊A/down⌋, B·up + b) for b = 0 … up−1. Hosts take the first ports; the
/// others stay empty. Two hosts are 2L links apart, where L is the height of the least subtree that holds
/// both. Reference: Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS 1995.
Fabric build_tree(int hosts, std::span<const TreeLevel> levels);

}  // namespace starling
