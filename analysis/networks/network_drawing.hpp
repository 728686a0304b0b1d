#pragma once

#include <vector>

#include "topologies/networks/network.hpp"

namespace starling {

/// The most hosts and switches that a picture can show legibly.
inline constexpr int most_vertices_drawn = 2000;

/// A point of a picture; x grows to the right, y upward.
struct DrawnPoint {
  double x = 0;
  double y = 0;
};

/// Where hosts, switches and cables are in a picture of a network. A grid or torus is drawn as a grid of its
/// last two dimensions, of which there is one for each place in the other dimensions, side by side. Switches
/// are drawn in rows above their hosts, or, if switches at the same distance from hosts are joined, in
/// circles, one for each fully connected group. Any other network is drawn as a circle.
struct NetworkDrawing {
  std::vector<DrawnPoint> vertices;  // hosts, then switches
  /// A link, which is one direction of a cable, is drawn from where it begins to the middle of the cable. The
  /// wrap-around links of a torus are stubs that point out of the grid.
  struct HalfCable {
    DrawnPoint from;
    DrawnPoint to;
  };
  std::vector<HalfCable> links = {};  // of links_of_cables(), in their order
};

/// Places a network's hosts, switches and links.
NetworkDrawing drawing_of(const Network& network);

}  // namespace starling
