#pragma once

#include <filesystem>
#include <string>

#include "io/json_reader.hpp"

namespace starling {

/// The path that a scenario's value names: relative to the scenario's own file. @throws ScenarioError at that
/// value if there is no such file.
std::filesystem::path input_path(const JsonPlace& place);

/// The file that a value names, either one of the shipped files of `directory` by its name, or a path, which
/// is what contains a slash or ends in .json. @throws ScenarioError "unknown `noun`" with the nearest name.
std::filesystem::path shipped_or_own_file(const JsonPlace& place, const std::filesystem::path& directory,
                                          std::string_view noun);

}  // namespace starling
