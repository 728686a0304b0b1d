#pragma once

#include <vector>

#include "topologies/networks/network.hpp"

namespace starling {

/// More vertices than that are a blot.
inline constexpr int most_vertices_drawn = 2000;

struct DrawnPoint {
  double x = 0;
  double y = 0;
};

/// Where things are in a picture of a network: a grid as it is, in two dimensions of which further ones lie
/// side by side; switches above the hosts that they join, or, where they are joined among themselves, groups
/// of them in circles; anything else in a circle.
struct NetworkDrawing {
  std::vector<DrawnPoint> vertices;  // hosts, then switches
  /// A link is drawn from where it begins to the middle of its cable; the other half is that of the other
  /// direction. Cables that close a grid are stubs to its outside.
  struct HalfCable {
    DrawnPoint from;
    DrawnPoint to;
  };
  std::vector<HalfCable> links = {};  // those of links_of_cables(), in their order
};

NetworkDrawing drawing_of(const Network& network);

}  // namespace starling
