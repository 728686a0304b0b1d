#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/json/json_reader.hpp"

namespace starling {

/// The path of the file that a value of a scenario or another `document` (as errors call it) names. It is
/// relative to the folder of the document's file, or to the folder of the current InputFileLog if that has
/// one; with `below`, to that subfolder of it. @throws ScenarioError at that value if there is no such file.
std::filesystem::path input_path(const JsonPlace& place, const std::filesystem::path& below = {},
                                 std::string_view document = "scenario");

/// The file that a value names: a path if it contains a slash or ends in .json, otherwise the name of a
/// shipped file in `directory`. @throws ScenarioError "unknown `noun`" with the nearest name.
std::filesystem::path shipped_or_own_file(const JsonPlace& place, const std::filesystem::path& directory,
                                          std::string_view noun);

/// The shipped file in `directory` that a value names. @throws ScenarioError "unknown `noun`" with the
/// nearest name.
std::filesystem::path shipped_file(const JsonPlace& place, const std::filesystem::path& directory,
                                   std::string_view noun);

/// Records, during its lifetime, the paths that the functions above return in this thread: the input files of
/// a document.
class InputFileLog {
 public:
  /// `folder` replaces, meanwhile, the document's own folder as the start of relative paths, unless it is
  /// empty.
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
  InputFileLog* outer_;  // the log that is current again afterwards
};

}  // namespace starling
