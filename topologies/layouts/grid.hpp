#pragma once

#include <span>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// One dimension of a grid; a closed one wraps around. A closed dimension of size 2 has one cable per pair of
/// neighbors, not two.
struct GridDimension {
  int size = 1;
  bool is_closed = false;
  LinkOptions link = {};
};

/// Hosts on a grid, row-major (the last dimension varies fastest): ring, line, torus, mesh and hypercube.
///
/// The distance between two hosts is the sum, over the dimensions, of the difference of their coordinates, or
/// of the shorter way round if the dimension is closed.
Fabric build_grid(std::span<const GridDimension> dimensions);

}  // namespace starling
