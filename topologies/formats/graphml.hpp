#pragma once

#include <iosfwd>

#include "topologies/formats/exported_network.hpp"
#include "topologies/formats/given_network.hpp"
#include "topologies/formats/xml_text.hpp"

namespace starling {

/// The nodes and edges of a GraphML document, https://graphml.graphdrawing.org: of each edge the attributes
/// `bandwidth` and `latency`, in SI or with a unit, and `cable`, the number among parallel ones; of each node
/// `kind`, host or switch, if any has it. Other attributes mean nothing.
///
/// @throws std::invalid_argument with file and line for what is missing, unknown or comes twice, and for
/// hyperedges and nested graphs.
GivenNetwork network_of_graphml(const XmlText& document);

/// Writes what network_of_graphml reads back: nodes in their order with their names, numbers to the last bit;
/// a directed graph if the directions of some cable differ.
void write_graphml(const ExportedNetwork& network, std::ostream& out);

}  // namespace starling
