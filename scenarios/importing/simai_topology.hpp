#pragma once

#include "scenarios/importing/imported.hpp"

namespace starling {

/// A topology file of SimAI (and of the HPCC simulators before it), as its gen_Topo_Template.py writes them:
///
///     nodes GPUs-per-server NVSwitches switches links GPU-type
///     the numbers of all switches, NVSwitches first
///     source destination bandwidth latency error-rate      (of each link, "400Gbps", "0.0005ms")
///
/// Becomes a cluster of one worker a host on a network of kind `graph`: its hosts are the GPUs in the order
/// of their numbers, then come the switches. Routes are the shortest that lead through switches only, over
/// NVSwitches where these are as near, as there.
/// @throws ScenarioError with the line of what is wrong.
Imported import_simai_topology(const ForeignFile& file);

}  // namespace starling
