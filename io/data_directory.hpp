#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// Where the data that comes with Starling lies, laid out as in the repository: the environment variable
/// STARLING_DATA, or where Starling was built.
std::filesystem::path data_directory();

/// The shipped models' and distributions' files: `<data>/workloads/models/NAME.json` and
/// `<data>/workloads/distributions/NAME.json`.
std::filesystem::path model_directory();
std::filesystem::path distribution_directory();

/// The names of the JSON files in a directory without their ending, sorted. @throws ScenarioError if it
/// cannot be read.
std::vector<std::string> json_names(const std::filesystem::path& directory);

}  // namespace starling
