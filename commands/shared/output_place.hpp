#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "analysis/results/files/folder_lock.hpp"

namespace starling {

/// Creates the folder that --out names, and its parents. @throws ScenarioError if that fails.
void make_output_folder(const std::filesystem::path& folder);
/// Creates and locks the folder, and removes half-written files of killed processes. While the returned lock
/// exists, no other process of Starling writes there. @throws ScenarioError if the folder cannot be created,
/// is locked, or cannot be written to.
std::unique_ptr<const FolderLock> lock_output_folder(const std::filesystem::path& folder);
/// The same for a folder to which `file` will be written; null without a folder. @throws UsageError if the
/// folder has the file already and `is_forced` is false, ScenarioError if the file cannot be written.
std::unique_ptr<const FolderLock> lock_output_folder(const std::optional<std::filesystem::path>& folder,
                                                     const char* file, bool is_forced);
/// @throws ScenarioError, with `problem` and `expected`, if the file exists.
void refuse_existing(const std::filesystem::path& file, const std::string& problem,
                     const std::string& expected);
/// @throws ScenarioError if the path is a folder.
void refuse_folder_in_place_of(const std::filesystem::path& file);
/// Checks, before anything is computed, that the file can be written. @throws ScenarioError if not.
void check_can_be_written(const std::filesystem::path& file);
/// Checks that a report can be written to this file, and that an existing file there is a report. @throws
/// ScenarioError if not.
void check_place_of_page(const std::filesystem::path& page);
/// Checks that an existing file at this path is a picture of the kind that its name says; an .svg file must
/// be drawn by gnuplot. `option` is the option that names the path: "--out". @throws ScenarioError if not.
void check_place_of_picture(const std::filesystem::path& picture, const std::string& option);

}  // namespace starling
