#pragma once

#include <iosfwd>

#include "topologies/formats/exported_network.hpp"
#include "topologies/formats/given_network.hpp"
#include "topologies/formats/xml_text.hpp"

namespace starling {

/// Reads the nodes and edges of a GraphML document (https://graphml.graphdrawing.org). Attributes of an edge:
/// `bandwidth` and `latency`, in SI or with a unit, and optionally `cable`, its number among parallel cables.
/// Attribute of a node: `kind`, host or switch; either all nodes have it or none. Other attributes are
/// ignored.
///
/// @throws std::invalid_argument with file and line for anything missing, unknown or repeated, and for
/// hyperedges and nested graphs.
GivenNetwork network_of_graphml(const XmlText& document);

/// Writes a document that network_of_graphml reads back without loss: names and order of nodes, numbers to
/// the last bit. The graph is directed if the two directions of some cable differ.
void write_graphml(const ExportedNetwork& network, std::ostream& out);

}  // namespace starling
