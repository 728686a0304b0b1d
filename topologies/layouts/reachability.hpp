#pragma once

#include <span>
#include <vector>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// For each vertex whether cables lead to it from the first one, however many. O(vertices + cables).
std::vector<bool> reached_from(int first, int vertices, std::span<const Cable> cables);

}  // namespace starling
