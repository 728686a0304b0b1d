#include "scenarios/reading/cluster_file.hpp"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

namespace {

bool has_any(const nlohmann::json& document, std::initializer_list<const char*> keys) {
  return document.is_object() &&
         std::ranges::any_of(keys, [&](const char* key) { return document.contains(key); });
}

/// Reads the cluster of a file without a scenario; `is_cluster`: the document is the cluster itself.
void read_cluster_alone(const ScenarioDocument& document, bool is_cluster, ClusterFile& result) {
  naming_overrides_of(document, [&] {
    const JsonPlace root(document.json, document.file.string());
    const bool is_inside = !is_cluster && has_any(document.json, {"cluster"});
    const JsonPlace place =
        is_inside ? ObjectReader(root, {"cluster", "starling", "measured"}).at("cluster") : root;
    const ClusterDescription cluster = read_cluster(place, result.warnings, {.takes_errors = true});
    result.cluster = cluster.options;
    result.host_costs = cluster.host_costs;
  });
}

}  // namespace

bool is_cluster_itself(const nlohmann::json& document) {
  return !document.empty() && !has_any(document, {"cluster", "workload", "algorithms", "jobs"});
}

ClusterFile read_cluster_file(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  ScenarioDocument document = read_document(file, {});
  const nlohmann::json& json = document.json;
  const bool is_cluster = is_cluster_itself(json);
  for (const std::string& option : overrides) change(document, option);
  ClusterFile result{.file = document.file, .cluster = {}};
  if (!is_cluster && has_any(json, {"workload", "algorithms", "jobs"})) {
    result.scenario = read_scenario(document);
    result.cluster = result.scenario->cluster;
    result.host_costs = result.scenario->host_costs;
    result.warnings = result.scenario->warnings;
    return result;
  }
  read_cluster_alone(document, is_cluster, result);
  return result;
}

}  // namespace starling
