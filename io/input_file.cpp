#include "io/input_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/near_key.hpp"
#include "io/data_directory.hpp"

namespace starling {

std::filesystem::path input_path(const JsonPlace& place) {
  std::filesystem::path path = std::filesystem::path(place.file()).parent_path() / place.text();
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    place.fail("no such file", "a path relative to the scenario's file");
  if (std::filesystem::is_directory(path, error)) place.fail("is a directory", "a file");
  return path;
}

std::filesystem::path shipped_or_own_file(const JsonPlace& place, const std::filesystem::path& directory,
                                          std::string_view noun) {
  const std::string typed = place.text();
  if (typed.find('/') != std::string::npos || typed.ends_with(".json")) return input_path(place);
  const auto names = json_names(directory);
  if (std::find(names.begin(), names.end(), typed) == names.end())
    place.fail(fmt::format("unknown {}{}", noun, suggestion(typed, names)),
               fmt::format("{}, or the path of a file that ends in .json", one_of(names)));
  return directory / (typed + ".json");
}

}  // namespace starling
