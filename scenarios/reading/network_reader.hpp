#pragma once

#include <string>
#include <vector>

#include "io/json_reader.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {

/// {"bandwidth": …, "latency": …}.
Normalized<LinkOptions> read_link(const JsonPlace& place);

/// A scenario's `network`, for that many hosts. Checks all that can be said without building it, and that it
/// does not have more cables than fit into memory. @throws ScenarioError.
Normalized<NetworkOptions> read_network(const JsonPlace& place, int hosts);

/// The kinds of network that this version has.
const std::vector<std::string>& network_kinds();

}  // namespace starling
