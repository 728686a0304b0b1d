#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace starling {

/// Keeps other processes that ask for the same lock out of a folder, as long as it lives or until this
/// process ends, however that happens. Where the file system cannot lock folders, nobody is kept out.
class FolderLock {
 public:
  /// @throws ScenarioError that names the option --out if somebody has it; std::system_error if there is no
  /// such folder.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// @throws ScenarioError that names --out if results of another command are there: any but one's `own`.
void refuse_results_of_others(const std::filesystem::path& folder,
                              std::initializer_list<std::string_view> own);

}  // namespace starling
