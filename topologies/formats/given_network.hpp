#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// A host or a switch, as a file gives it.
struct GivenNode {
  std::string name;
  /// Whether it is a host; nothing where the file does not say.
  std::optional<bool> is_host = {};
  /// File and line, or file and JSON pointer: where errors say it is.
  std::string place;
};

/// A cable, or in a directed file one direction of a cable. The ends are numbers of nodes.
struct GivenEdge {
  int from = 0;
  int to = 0;
  LinkOptions link = {};
  /// Which of parallel cables it is.
  int number = 1;
  std::string place;
};

/// A network as a file gives it, whatever the file's form.
struct GivenNetwork {
  std::string file;
  bool is_directed = false;
  std::vector<GivenNode> nodes;
  std::vector<GivenEdge> edges;
};

/// Both directions of the edges as cables; the first `hosts` of the file's hosts come first, then all else.
///
/// Hosts are the nodes that the file says are hosts, or, where it says that of no node, those with one cable.
/// Hosts beyond those needed are left out, and those that have several cables stand there as switches.
/// @throws std::invalid_argument if there are too few hosts, if hosts are not joined, or for an edge that
/// comes twice, leads from a node to itself, has no way back, or a link that no scenario may have; the text
/// says where.
Fabric fabric_of(const GivenNetwork& given, int hosts);

}  // namespace starling
