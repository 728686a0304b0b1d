#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "io/scenario_error.hpp"

namespace starling {

inline std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// An empty folder that is removed with this object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "starling-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
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
    write_file(file, text);
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
