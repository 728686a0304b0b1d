#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/json/json_reader.hpp"

namespace starling {

/// The path that a scenario's value names: relative to the scenario's own file, or to the folder that an
/// InputFileLog has for that, or to the folder `below` that one. A study's values name files likewise; errors
/// call it `document`. @throws ScenarioError at that value if there is no such file.
std::filesystem::path input_path(const JsonPlace& place, const std::filesystem::path& below = {},
                                 std::string_view document = "scenario");

/// The file that a value names, either one of the shipped files of `directory` by its name, or a path, which
/// is what contains a slash or ends in .json. @throws ScenarioError "unknown `noun`" with the nearest name.
std::filesystem::path shipped_or_own_file(const JsonPlace& place, const std::filesystem::path& directory,
                                          std::string_view noun);

/// The shipped file of `directory` that a value names. @throws ScenarioError "unknown `noun`" with the
/// nearest name.
std::filesystem::path shipped_file(const JsonPlace& place, const std::filesystem::path& directory,
                                   std::string_view noun);

/// While it lives, keeps the paths that these give in this thread: the files that a document takes
/// something from.
class InputFileLog {
 public:
  /// `folder`: that relative paths start from meanwhile, in place of the document's own; its own if empty.
  explicit InputFileLog(std::filesystem::path folder = {});
  ~InputFileLog();
  InputFileLog(const InputFileLog&) = delete;
  InputFileLog& operator=(const InputFileLog&) = delete;

  const std::vector<std::filesystem::path>& paths() const { return paths_; }
  const std::filesystem::path& folder() const { return folder_; }
  void add(const std::filesystem::path& path) { paths_.push_back(path); }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> paths_;
  InputFileLog* outer_;  // whose turn it is again afterwards
};

}  // namespace starling
