#include "io/data_directory.hpp"

#include <algorithm>
#include <cstdlib>

#include "io/scenario_error.hpp"

namespace starling {

namespace {

std::filesystem::path expected_data_directory() {
  const char* chosen = std::getenv("STARLING_DATA");
  return chosen != nullptr && *chosen != '\0' ? chosen : STARLING_DATA_DIR;
}

}  // namespace

std::filesystem::path data_directory() {
  std::filesystem::path directory = expected_data_directory();
  std::error_code error;
  if (!std::filesystem::is_directory(directory / "workloads" / "models", error))
    throw ScenarioError({directory.string(), "",
                         "Starling's models, distributions and schemas are not in this folder", "",
                         "the environment variable STARLING_DATA to name the folder that they are in"});
  return directory;
}

std::filesystem::path model_directory() { return data_directory() / "workloads" / "models"; }

std::filesystem::path distribution_directory() { return data_directory() / "workloads" / "distributions"; }

std::vector<std::string> json_names(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  if (error)
    throw ScenarioError({directory.string(), "", "Starling's data is not there (" + error.message() + ")", "",
                         "the environment variable STARLING_DATA to name its directory"});
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace starling
