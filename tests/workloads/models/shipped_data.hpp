#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// The JSON files of a folder of workloads/, parsed.
inline std::vector<nlohmann::json> shipped_files(const std::string& folder) {
  std::vector<nlohmann::json> files;
  for (const auto& entry : std::filesystem::directory_iterator(STARLING_WORKLOADS_DIR "/" + folder)) {
    if (entry.path().extension() == ".json")
      files.push_back(nlohmann::json::parse(std::ifstream(entry.path())));
  }
  return files;
}

}  // namespace starling
