#pragma once

#include <string>
#include <string_view>

#include "topologies/formats/given_network.hpp"

namespace starling {

/// Reads a network from the node-link JSON of networkx: `nodes` with `id` and optionally `kind` (host,
/// switch), and `links` or `edges` with `source`, `target`, `bandwidth`, `latency`, and in multigraphs `key`.
/// Quantities are in SI or have a unit. Other members of nodes and links are ignored. `name` is what errors
/// call the text.
///
/// @throws std::invalid_argument with file and JSON pointer for anything missing, unknown or repeated,
/// ScenarioError for invalid JSON.
GivenNetwork network_of_node_link(std::string_view text, const std::string& name);

}  // namespace starling
