#pragma once

#include "scenarios/importing/imported.hpp"

namespace starling {

/// A network of ASTRA-sim's analytical back end, YAML with a list entry for each dimension:
///
///     topology: [ Switch, Switch ]     # or Ring, FullyConnected
///     npus_count: [ 8, 32 ]
///     bandwidth: [ 450.0, 50.0 ]       # GB/s, of 2^30 bytes there
///     latency: [ 250.0, 2000.0 ]       # ns, of a link
///
/// Becomes a cluster: of one dimension a `ring`, `complete` network or `star`; of two with switches hosts of
/// the first on rails of the second; else a `graph` in which every worker is a host and has links of its own
/// in each dimension, NPUs numbered as there (the first dimension fastest).
/// @throws ScenarioError for what is no such file.
Imported import_astra_sim_network(const ForeignFile& file);

}  // namespace starling
