#pragma once

#include <span>
#include <string>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// One level of switches of a generalized fat tree, and its cables to the level below; see FatTreeLevel.
struct TreeLevel {
  std::string switch_name;
  int down = 1;
  int up = 1;
  int parallel = 1;
  LinkOptions link = {};
};

/// The number of ports for hosts, ∏ down; a double, so that it does not overflow.
double host_ports(std::span<const TreeLevel> levels);

/// The number of cables if every port for hosts has a host.
double tree_cables(std::span<const TreeLevel> levels);

/// Builds a generalized fat tree XGFT(h; down…; up…), with levels given from the hosts upward. Star,
/// leaf_spine and fat_tree are built by it.
///
/// A vertex of level i is a pair (A, B): A is the number of its subtree of height i, B its number among the
/// roots of that subtree. Its parents are (⌊A/down⌋, B·up + b) for b = 0 … up−1. Hosts take the first ports;
/// the others stay empty. Two hosts are 2L links apart, where L is the height of the smallest subtree that
/// holds both. Reference: Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS 1995.
Fabric build_tree(int hosts, std::span<const TreeLevel> levels);

}  // namespace starling
