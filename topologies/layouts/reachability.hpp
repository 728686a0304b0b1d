#pragma once

#include <span>
#include <vector>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// For each vertex, whether a path over any number of cables joins it to `first`. O(vertices + cables).
std::vector<bool> reached_from(int first, int vertices, std::span<const Cable> cables);

}  // namespace starling
