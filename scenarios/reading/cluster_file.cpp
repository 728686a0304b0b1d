#include "scenarios/reading/cluster_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

ClusterFile read_cluster_file(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const ScenarioDocument document = read_document(file, overrides);
  const nlohmann::json& json = document.json;
  ClusterFile result{.file = document.file, .cluster = {}};
  if (json.is_object() &&
      (json.contains("workload") || json.contains("algorithms") || json.contains("jobs"))) {
    result.scenario = read_scenario(document);
    result.cluster = result.scenario->cluster;
    result.warnings = result.scenario->warnings;
    return result;
  }
  const JsonPlace root(json, document.file.string());
  const bool is_cluster = !json.is_object() || !json.contains("cluster");
  const JsonPlace place =
      is_cluster ? root : ObjectReader(root, {"cluster", "starling", "measured"}).at("cluster");
  result.cluster = read_cluster(place, result.warnings, {.takes_errors = true}).options;
  return result;
}

}  // namespace starling
