#pragma once

#include <string>
#include <unordered_map>

#include "base/types.hpp"
#include "topologies/formats/xml_text.hpp"

namespace starling {

/// The ranks of the nodes of a GraphML graph, by node id. If the ids are 0, 1, … P − 1 or n0, n1, … n(P − 1),
/// in any order, they give the ranks; otherwise nodes are numbered in the order of the file.
/// @throws std::invalid_argument with file and line if two nodes have the same id.
std::unordered_map<std::string, Rank> ranks_of_nodes(const XmlText& document, pugi::xml_node graph);

/// A warning that ranks follow from the order of nodes, which may not be intended; empty if the ids give the
/// ranks, and if the text is not GraphML, which reading it will report.
std::string rank_order_warning(const std::string& text, const std::string& file);

}  // namespace starling
