#include "scenarios/reading/cluster_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "io/json_text.hpp"
#include "io/overrides.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {

ClusterFile read_cluster_file(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  nlohmann::json document = parse_json(read_text_file(file), file.string());
  if (document.is_object() &&
      (document.contains("workload") || document.contains("algorithms") || document.contains("jobs"))) {
    Scenario scenario = read_scenario(file, overrides);
    ClusterFile result{.cluster = scenario.cluster, .warnings = scenario.warnings};
    result.scenario = std::move(scenario);
    return result;
  }
  for (const std::string& change : overrides) apply_override(document, parse_override(change));
  ClusterFile result;
  const JsonPlace root(document, file.string());
  if (!document.is_object() || !document.contains("cluster")) {
    result.cluster = read_cluster(root, result.warnings).options;
    return result;
  }
  ObjectReader object(root, {"cluster"});
  result.cluster = read_cluster(object.at("cluster"), result.warnings).options;
  return result;
}

}  // namespace starling
