#include "io/data_directory.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/module.hpp"
#include "io/scenario_error.hpp"

namespace starling {

namespace {

std::filesystem::path& installed_data_directory() {
  static std::filesystem::path directory;
  return directory;
}

/// Relative to the running program, so that both can be moved together.
std::filesystem::path data_beside_program() {
  return std::filesystem::weakly_canonical(this_program().parent_path() / "../share/starling");
}

std::filesystem::path expected_data_directory() {
  const char* chosen = std::getenv("STARLING_DATA");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const std::filesystem::path& installed = installed_data_directory();
  const std::filesystem::path beside = data_beside_program();
  const bool is_gone = !std::filesystem::exists(installed) && std::filesystem::exists(beside);
  return installed.empty() || is_gone ? beside : installed;
}

}  // namespace

void set_installed_data_directory(const char* directory) { installed_data_directory() = directory; }

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

std::filesystem::path profile_directory() { return data_directory() / "workloads" / "profiles"; }

std::filesystem::path distribution_directory() { return data_directory() / "workloads" / "distributions"; }

std::vector<std::string> json_names(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  if (error)
    throw ScenarioError({directory.string(), "", "Starling's data cannot be read (" + error.message() + ")",
                         "", "the environment variable STARLING_DATA to name its directory"});
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace starling
