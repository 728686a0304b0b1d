#pragma once

#include "scenarios/importing/imported.hpp"

namespace starling {

/// Imports a topology file of SimAI (and of the HPCC simulators before it), as written by its
/// gen_Topo_Template.py:
///
///     nodes GPUs-per-server NVSwitches switches links GPU-type
///     the numbers of all switches, NVSwitches first
///     source destination bandwidth latency error-rate      (for each link: "400Gbps", "0.0005ms")
///
/// Returns a cluster with one worker per host on a network of kind `graph`: its hosts are the GPUs in the
/// order of their numbers, followed by the switches. As in SimAI, routes are the shortest ones through
/// switches only, and of equally short ones those over NVSwitches.
/// @throws ScenarioError with the line of the error.
Imported import_simai_topology(const ForeignFile& file);

}  // namespace starling
