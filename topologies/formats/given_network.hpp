#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// A host or a switch as given by a file.
struct GivenNode {
  std::string name;
  /// Whether it is a host; absent if the file does not say.
  std::optional<bool> is_host = {};
  /// File and line, or file and JSON pointer, for error messages.
  std::string place;
};

/// A cable, or in a directed graph one direction of a cable. The ends are indices of nodes.
struct GivenEdge {
  int from = 0;
  int to = 0;
  LinkOptions link = {};
  /// Its number among parallel cables, from 1.
  int number = 1;
  std::string place;
};

/// A network as given by a file of any format.
struct GivenNetwork {
  std::string file;
  bool is_directed = false;
  std::vector<GivenNode> nodes;
  std::vector<GivenEdge> edges;
};

/// Makes a fabric of the given network. The first `hosts` hosts of the file become vertices 0 … hosts − 1;
/// the other nodes follow as switches.
///
/// Hosts are the nodes that the file declares hosts, or, if it declares nothing, the nodes with one cable. Of
/// the hosts beyond those needed, the ones with several cables become switches, all others are left out with
/// their cables.
/// @throws std::invalid_argument if there are too few hosts, if there is no path between two hosts, if only
/// some nodes are declared, or for an edge that appears twice, joins a node to itself, lacks its opposite
/// direction, or has a bandwidth or latency out of range; the text says where.
Fabric fabric_of(const GivenNetwork& given, int hosts);

}  // namespace starling
