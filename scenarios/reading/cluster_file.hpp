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

/// The cluster of a file.
struct ClusterFile {
  std::filesystem::path file;  // its name in errors
  ClusterOptions cluster;
  HostCosts host_costs = {};
  /// The whole scenario, if the file is one.
  std::optional<Scenario> scenario = {};
  /// Suspicious values, a sentence each.
  std::vector<std::string> warnings = {};
};

/// Whether the document is a cluster itself, without the key "cluster" around it and without keys of a
/// scenario. Ask before overrides are applied: these do not change the kind of the file.
bool is_cluster_itself(const nlohmann::json& document);

/// Reads the cluster of a scenario, of a file {"cluster": {…}}, which may also hold the measurements of
/// `starling calibrate`, or of a file that is a cluster itself; `-` is standard input. Each override is
/// `/json/pointer=VALUE`. @throws ScenarioError if anything in the file is wrong, in a scenario also outside
/// of its cluster.
ClusterFile read_cluster_file(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides = {});

}  // namespace starling
