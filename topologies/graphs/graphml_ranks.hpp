#pragma once

#include <string>
#include <unordered_map>

#include "base/types.hpp"
#include "topologies/formats/xml_text.hpp"

namespace starling {

/// The ranks of the nodes of a GraphML graph, by their ids: the numbers that these are, or that follow an "n"
/// in all of them, if they are 0, 1, … P − 1 in any order; else nodes are numbered as they come.
/// @throws std::invalid_argument with file and line if two have the same id.
std::unordered_map<std::string, Rank> ranks_of_nodes(const XmlText& document, pugi::xml_node graph);

/// Why the ranks of nodes in a file of that text may not be the ones meant; empty where their ids say them,
/// or where the text is no GraphML, which reading it tells.
std::string doubt_about_ranks(const std::string& text, const std::string& file);

}  // namespace starling
