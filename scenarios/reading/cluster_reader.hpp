#pragma once

#include <string>
#include <vector>

#include "io/json/json_reader.hpp"
#include "io/options/reader.hpp"
#include "scenarios/description/cluster_description.hpp"

namespace starling {

/// Reads a cluster outside of a scenario. Keys that it does not give come from its `file`, if it names one.
/// Builds the network once to check that it can be built. Adds warnings about legal but suspicious values.
/// @throws ScenarioError.
ClusterDescription read_cluster(const JsonPlace& place, std::vector<std::string>& warnings,
                                const OptionContext& context = {});

/// Adds warnings about legal but suspicious values of the cluster at `place`.
void warn_about_cluster(const JsonPlace& place, const ClusterDescription& cluster,
                        std::vector<std::string>& warnings);

}  // namespace starling
