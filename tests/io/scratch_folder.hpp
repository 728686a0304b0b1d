#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "io/scenario_error.hpp"

namespace starling {

/// A folder of its own for a test, gone when the test ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("starling_input_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// The message of the ScenarioError that `action` throws, without the folder's path; "no error" if it throws
/// none.
template <typename Action>
std::string error_of(const std::filesystem::path& folder, Action action) {
  try {
    action();
  } catch (const ScenarioError& error) {
    std::string message = error.what();
    const std::string prefix = folder.string() + "/";
    for (std::size_t at = message.find(prefix); !folder.empty() && at != std::string::npos;
         at = message.find(prefix))
      message.erase(at, prefix.size());
    return message;
  }
  return "no error";
}

}  // namespace starling
