#pragma once

#include <string>
#include <vector>

#include "io/json/json_reader.hpp"
#include "io/options/reader.hpp"
#include "scenarios/description/cluster_description.hpp"

namespace starling {

/// Reads a cluster that stands outside of a scenario, with what its `file` holds where it says nothing
/// itself, and builds its network once to be sure that it can be. What is legal but suspicious is added to
/// `warnings`. @throws ScenarioError.
ClusterDescription read_cluster(const JsonPlace& place, std::vector<std::string>& warnings,
                                const OptionContext& context = {});

/// Adds what is legal but suspicious about the cluster at that place.
void warn_about_cluster(const JsonPlace& place, const ClusterDescription& cluster,
                        std::vector<std::string>& warnings);

}  // namespace starling
