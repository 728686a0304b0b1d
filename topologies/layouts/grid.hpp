#pragma once

#include <span>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// One dimension of a grid. A closed dimension of size 2 has one cable, as there is only one pair to join.
struct GridDimension {
  int size = 1;
  bool is_closed = false;
  LinkOptions link = {};
};

/// Hosts on a grid, row-major (the last dimension varies fastest): ring, line, torus, mesh and hypercube.
///
/// The distance between two hosts is the sum over the dimensions of |difference|, or the shorter way round
/// where the dimension is closed.
Fabric build_grid(std::span<const GridDimension> dimensions);

}  // namespace starling
