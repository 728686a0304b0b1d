#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// Where the data that comes with Starling lies, laid out as in the repository: where the environment
/// variable STARLING_DATA says; else where a program of another project was told
/// (`set_installed_data_directory`), unless that is gone; else in `../share/starling` beside the program's
/// folder, which in a build tree links to the sources.
/// @throws ScenarioError, which names the folder, if it does not hold the data.
std::filesystem::path data_directory();

/// Tells where the data of the Starling that is linked is installed. The CMake package does it in programs
/// of other projects.
void set_installed_data_directory(const char* directory);

/// Where the shipped files of models, profiles and distributions are, each as NAME.json:
/// `<data>/workloads/models`, `<data>/workloads/profiles` and `<data>/workloads/distributions`.
std::filesystem::path model_directory();
std::filesystem::path profile_directory();
std::filesystem::path distribution_directory();

/// The names of the JSON files in a directory without their ending, sorted. @throws ScenarioError if it
/// cannot be read.
std::vector<std::string> json_names(const std::filesystem::path& directory);

}  // namespace starling
