#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/reading/scenario.hpp"
#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/host_costs.hpp"

namespace starling {

/// The cluster of a file, and what is suspicious about it, one sentence each.
struct ClusterFile {
  std::filesystem::path file;  // what errors call it
  ClusterOptions cluster;
  HostCosts host_costs = {};
  /// The whole scenario, where the file is one.
  std::optional<Scenario> scenario = {};
  std::vector<std::string> warnings = {};
};

/// Whether a file holds a cluster and nothing else, before any change: a change of it does not make it
/// another file.
bool is_cluster_itself(const nlohmann::json& document);

/// Reads the cluster of a scenario, or of a file that holds nothing else: {"cluster": {…}}, perhaps with what
/// `starling calibrate` measured, or the cluster itself; `-` is standard input. Each override is
/// `/json/pointer=VALUE`. @throws ScenarioError if anything is wrong, elsewhere in a scenario, too.
ClusterFile read_cluster_file(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides = {});

}  // namespace starling
