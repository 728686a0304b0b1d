#pragma once

#include "scenarios/importing/imported.hpp"

namespace starling {

/// Imports a network of ASTRA-sim's analytical back end, YAML with a list entry for each dimension:
///
///     topology: [ Switch, Switch ]     # or Ring, FullyConnected
///     npus_count: [ 8, 32 ]
///     bandwidth: [ 450.0, 50.0 ]       # GB/s, where a GB is 2^30 bytes
///     latency: [ 250.0, 2000.0 ]       # ns, of a link
///
/// Returns a cluster. One dimension becomes a `ring`, `complete` network or `star`. Two dimensions of
/// switches become hosts, of the first dimension, on rails of the second. Anything else becomes a `graph` in
/// which every worker is a host and has links of its own in each dimension; workers are numbered like
/// ASTRA-sim's NPUs (the first dimension varies fastest).
/// @throws ScenarioError if the file is not such a network.
Imported import_astra_sim_network(const ForeignFile& file);

}  // namespace starling
