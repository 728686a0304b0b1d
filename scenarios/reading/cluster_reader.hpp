#pragma once

#include <string>
#include <vector>

#include "io/json_reader.hpp"
#include "scenarios/reading/cluster_description.hpp"

namespace starling {

/// Reads a scenario's `cluster`, with what its `file` holds where it says nothing itself, and builds its
/// network once to be sure that it can be. What is legal but suspicious is added to `warnings`. What is read
/// tells the defaults of `tcp` only if `uses_tcp`. @throws ScenarioError.
Normalized<ClusterDescription> read_cluster(const JsonPlace& place, std::vector<std::string>& warnings,
                                            bool uses_tcp = false);

}  // namespace starling
