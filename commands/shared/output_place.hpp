#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "analysis/results/files/folder_lock.hpp"

namespace starling {

/// Makes the folder that --out names, and those above it. @throws ScenarioError if it cannot be made.
void make_output_folder(const std::filesystem::path& folder);
/// Makes the folder, and removes what killed processes left there half written; as long as what is returned
/// lives, nobody else writes there. @throws ScenarioError if it cannot be made, somebody else writes there,
/// or nothing can be written.
std::unique_ptr<const FolderLock> lock_output_folder(const std::filesystem::path& folder);
/// lock_output_folder() for a file that is to be written there; null without a folder. @throws UsageError if
/// the folder has the file already and is not forced, ScenarioError if the file cannot be written.
std::unique_ptr<const FolderLock> lock_output_folder(const std::optional<std::filesystem::path>& folder,
                                                     const char* file, bool is_forced);
/// Refuses to replace a file. @throws ScenarioError if there is one: `problem`, and `expected`.
void refuse_existing(const std::filesystem::path& file, const std::string& problem,
                     const std::string& expected);
/// @throws ScenarioError if a folder is where a file is to be.
void refuse_folder_in_place_of(const std::filesystem::path& file);
/// Tries whether a file can be written, before there is something to lose. @throws ScenarioError if not.
void check_can_be_written(const std::filesystem::path& file);
/// A page replaces nothing but a page. @throws ScenarioError if it would, or cannot be written there.
void check_place_of_page(const std::filesystem::path& page);
/// A picture replaces nothing but a picture. `option` names it: "--out". @throws ScenarioError if there is a
/// file of another kind than the name says, or a drawing (.svg) that gnuplot has not made.
void check_place_of_picture(const std::filesystem::path& picture, const std::string& option);

}  // namespace starling
