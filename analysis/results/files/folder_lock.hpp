#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace starling {

/// An exclusive advisory lock on a folder, held until this object is destroyed or the process ends, however
/// that happens. It keeps out only processes that ask for the same lock, and none where the file system
/// cannot lock folders.
class FolderLock {
 public:
  /// @throws ScenarioError that names the option --out if another process holds the lock; std::system_error
  /// if the folder cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// @throws ScenarioError that names --out if the folder has results of another command: a result file that is
/// not among one's `own`.
void refuse_results_of_others(const std::filesystem::path& folder,
                              std::initializer_list<std::string_view> own);

}  // namespace starling
