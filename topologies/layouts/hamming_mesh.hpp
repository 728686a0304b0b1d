#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Boards that hold a 2-D mesh of hosts each, and switches that join the boards along every row and every
/// column of hosts. Host numbers are row-major over the whole grid, across boards.
///
/// In the paper, each row of hosts has a fat tree, to which the first and the last host of every board in
/// that row have a cable; columns likewise. Here, each such tree is a single switch with as many ports as
/// needed. Its bandwidth is the same, as the tree is not oversubscribed, but any two of its hosts are two
/// links apart, whatever its size. A row of a single host has no switch. With boards of 1 × 1 the network is
/// a two-dimensional HyperX; a single board is a torus whose wrap-around goes over a switch.
///
/// Reference: Hoefler, Bonato, De Sensi, Di Girolamo, Li, Heddes, Belk, Goel, Castro, Scott, "HammingMesh: a
/// network topology for large-scale deep learning", SC 2022.
struct HammingMeshOptions {
  static constexpr std::string_view name = "hamming_mesh";
  static constexpr std::string_view summary =
      "meshes on boards, and a switch for each row and each column of several hosts across boards";
  /// Rows and columns of hosts on a board.
  std::vector<int> board = {};
  /// Rows and columns of boards; the product of all four is the number of hosts.
  std::vector<int> boards = {};
  /// Between neighbors on a board.
  LinkOptions link = {};
  /// From the edge of a board to the switch of a row or column; the default is `link`.
  std::optional<LinkOptions> switch_link = {};
};

void describe_kind(HammingMeshOptions& options, int hosts, OptionVisitor& visitor);

/// The distance between two hosts is the sum of their distances along the row and along the column. Along a
/// line, two places on different boards are apart by their distances to the nearest edge of their board, plus
/// two links; on the same board the way over the switch is taken if it is shorter. Routes are in closed form,
/// O(1) per hop.
///
/// The options must be such as `describe_kind` accepts for that number of hosts.
Fabric build_hamming_mesh(int hosts, const HammingMeshOptions& options);

}  // namespace starling
