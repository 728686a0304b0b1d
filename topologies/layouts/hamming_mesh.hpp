#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// Boards of hosts, a mesh on each, and boards joined along every row and every column of hosts. Host numbers
/// are row-major over the whole grid, across boards.
///
/// In the paper a fat tree joins all boards of a row: for each row of hosts, the first and the last host on
/// every board have a cable to it; columns likewise. Here each such tree is one switch with as many ports as
/// it takes: alike in bandwidth, as the tree is not oversubscribed, but two links across whatever its size.
/// A row of a single host has no switch. Boards of 1 × 1 are a two-dimensional HyperX, one board alone with
/// its switches is a torus that a switch closes.
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
  /// From the edge of a board to the switch of a row or column; left out, the same as `link`.
  std::optional<LinkOptions> switch_link = {};
};

void describe_kind(HammingMeshOptions& options, int hosts, OptionVisitor& visitor);

/// The distance between two hosts is the sum over rows and columns, where two places on different boards are
/// apart by their ways to the edges of their boards and two links more. Routes in closed form, O(1) a step.
///
/// The options are as `describe_kind` accepts them for so many hosts.
Fabric build_hamming_mesh(int hosts, const HammingMeshOptions& options);

}  // namespace starling
