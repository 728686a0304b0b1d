#include "analysis/results/files/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "io/scenario_error.hpp"

namespace starling {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot open " + folder.string());
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw ScenarioError({.file = "--out",
                       .place = "",
                       .problem = "another run is writing to this folder",
                       .got = folder.string(),
                       .expected = "another folder, or this one after that run has ended"});
}

FolderLock::~FolderLock() { ::close(descriptor_); }

void refuse_results_of_others(const std::filesystem::path& folder,
                              std::initializer_list<std::string_view> own) {
  for (const std::string_view file :
       {"sweep.sqlite", "design.json", "regimes.json", "result.json", "reproduce.json"})
    if (std::ranges::find(own, file) == own.end() && std::filesystem::exists(folder / file))
      throw ScenarioError({"--out", "", fmt::format("another command's {} is in this folder", file),
                           folder.string(), "another folder"});
}

}  // namespace starling
