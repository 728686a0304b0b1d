#pragma once

#include <string>
#include <string_view>

#include "topologies/formats/given_network.hpp"

namespace starling {

/// The network of a JSON document in the node-link form of networkx: `nodes` with `id` and perhaps `kind`
/// (host, switch), and `links` or `edges` with `source`, `target`, `bandwidth`, `latency`, in multigraphs
/// `key`. Quantities in SI or with a unit. What else nodes and links have means nothing. `name` is what
/// errors call the text.
///
/// @throws std::invalid_argument with file and JSON pointer for what is missing, unknown or comes twice,
/// ScenarioError for what is no JSON.
GivenNetwork network_of_node_link(std::string_view text, const std::string& name);

}  // namespace starling
