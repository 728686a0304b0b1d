#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace starling {

/// One published measurement, as in its file.
struct PublishedEntry {
  std::string id;
  std::string paper;
  std::string cluster;  // its id
  std::optional<int> nodes;
  std::optional<int> workers_per_node;
  nlohmann::json workload;   // an object
  nlohmann::json algorithm;  // an object with a kind
  nlohmann::json baseline;   // an object with a kind, or null
  int workers = 0;
  std::string metric;
  std::optional<double> value;  // absent if unknown
  std::string notes;
};

/// Reads published measurements and checks what every entry must have. Workloads, algorithms and metrics need
/// not be known to Starling. @throws ScenarioError if the file does not fit the schema "published".
std::vector<PublishedEntry> read_published_file(const std::filesystem::path& file);

}  // namespace starling
