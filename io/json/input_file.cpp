#include "io/json/input_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/texts/near_key.hpp"
#include "io/data_directory.hpp"

namespace starling {
namespace {

thread_local InputFileLog* current_log = nullptr;

const std::filesystem::path& noted(const std::filesystem::path& path) {
  if (current_log != nullptr) current_log->add(path);
  return path;
}

}  // namespace

InputFileLog::InputFileLog(std::filesystem::path folder)
    : folder_(std::move(folder)), outer_(std::exchange(current_log, this)) {}

InputFileLog::~InputFileLog() { current_log = outer_; }

std::filesystem::path input_path(const JsonPlace& place, const std::filesystem::path& below,
                                 std::string_view document) {
  const bool is_elsewhere = current_log != nullptr && !current_log->folder().empty();
  std::filesystem::path folder =
      is_elsewhere ? current_log->folder() : std::filesystem::path(place.file()).parent_path();
  if (!below.empty()) folder /= below;
  std::filesystem::path path = folder / place.text();
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    place.fail("no such file", is_elsewhere || !below.empty()
                                   ? fmt::format("a path relative to {}", folder.string())
                                   : fmt::format("a path relative to the {}'s file", document));
  if (std::filesystem::is_directory(path, error)) place.fail("is a directory", "a file");
  return noted(path);
}

std::filesystem::path shipped_file(const JsonPlace& place, const std::filesystem::path& directory,
                                   std::string_view noun) {
  return noted(directory / (read_choice(place, json_names(directory), noun) + ".json"));
}

std::filesystem::path shipped_or_own_file(const JsonPlace& place, const std::filesystem::path& directory,
                                          std::string_view noun) {
  const std::string typed = place.text();
  if (typed.find('/') != std::string::npos || typed.ends_with(".json")) return input_path(place);
  const auto names = json_names(directory);
  if (std::find(names.begin(), names.end(), typed) == names.end())
    place.fail(fmt::format("unknown {}{}", noun, suggestion(typed, names)),
               fmt::format("{}, or the path of a file that ends in .json", one_of(names)));
  return noted(directory / (typed + ".json"));
}

}  // namespace starling
