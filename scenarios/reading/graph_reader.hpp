#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "io/json_reader.hpp"

namespace starling {

/// Reads the key `graph` of an algorithm: a name, or an object with a `kind` and its keys; the ring by
/// default. Random graphs without a seed of their own use `seed`. @throws ScenarioError.
MixingOptions read_graph(ObjectReader& algorithm, std::uint64_t seed);

/// The same with the key `mixing`: the weights. @throws ScenarioError.
MixingOptions read_mixing(ObjectReader& algorithm, std::uint64_t seed);

/// The kinds of communication graph.
std::vector<std::string> graph_kinds();

}  // namespace starling
