#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// The folder of the data shipped with Starling, laid out as in the repository: the value of the environment
/// variable STARLING_DATA; otherwise the folder given to set_installed_data_directory(), which programs of
/// other projects call, if that exists; otherwise `../share/starling`, relative to the folder of the running
/// program, which in a build tree links to the sources.
/// @throws ScenarioError, which names the folder, if the data is not there.
std::filesystem::path data_directory();

/// Sets the folder where the data of the linked Starling is installed. The CMake package calls it in programs
/// of other projects.
void set_installed_data_directory(const char* directory);

/// The folders of the shipped models, profiles and distributions, each a file NAME.json:
/// `<data>/workloads/models`, `<data>/workloads/profiles` and `<data>/workloads/distributions`.
std::filesystem::path model_directory();
std::filesystem::path profile_directory();
std::filesystem::path distribution_directory();

/// The names, without ".json", of the JSON files in a directory, sorted. @throws ScenarioError if it cannot
/// be read.
std::vector<std::string> json_names(const std::filesystem::path& directory);

}  // namespace starling
