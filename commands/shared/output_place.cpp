#include "commands/shared/output_place.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string_view>
#include <system_error>

#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& reason) {
  throw ScenarioError({"--out", "", fmt::format("this file cannot be written ({})", reason), file.string(),
                       "a file in a folder that you may write to"});
}

/// The text by which a picture with this extension is recognized; empty for other extensions. For PNG and PDF
/// it does not say which program has drawn them.
std::string_view mark_of_picture(const std::filesystem::path& picture) {
  const std::string kind = picture.extension().string();
  if (kind == ".svg") return "Produced by GNUPLOT";
  if (kind == ".png") return "\x89PNG";
  return kind == ".pdf" ? "%PDF-" : "";
}

/// The first kilobyte of a file, which tells its kind; empty if the file cannot be read.
std::string beginning_of(const std::filesystem::path& path) {
  constexpr std::size_t most_bytes = 1024;
  std::ifstream file(path, std::ios::binary);
  std::string head(most_bytes, '\0');
  file.read(head.data(), most_bytes);
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

bool is_a_report(const std::filesystem::path& page) {
  return beginning_of(page).find("<title>Starling report</title>") != std::string::npos;
}

/// @throws std::system_error if no file can be created in the folder of `file`.
void try_writing_beside(const std::filesystem::path& file) {
  const OutputFile trial = OutputFile::beside(file);
  std::filesystem::remove(trial.path());
}

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const char* problem,
                                const std::error_code& error) {
  throw ScenarioError({"--out", "", fmt::format("{} ({})", problem, error.message()), folder.string(),
                       "a folder that you may write to, or a path where one can be made"});
}

}  // namespace

void refuse_folder_in_place_of(const std::filesystem::path& file) {
  std::error_code unknown;  // which trying to write finds out
  if (std::filesystem::is_directory(file, unknown)) refuse_file(file, "it is a folder");
}

void make_output_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse_folder(folder, "this folder cannot be made", error);
}

std::unique_ptr<const FolderLock> lock_output_folder(const std::filesystem::path& folder) {
  make_output_folder(folder);
  outlive_reader();
  try {
    auto lock = std::make_unique<const FolderLock>(folder);
    remove_abandoned_files(folder);
    try_writing_beside(folder / "trial");
    return lock;
  } catch (const std::system_error& error) {
    refuse_folder(folder, "nothing can be written to this folder", error.code());
  }
}

void refuse_existing(const std::filesystem::path& file, const std::string& problem,
                     const std::string& expected) {
  std::error_code unknown;  // which trying to write finds out
  if (std::filesystem::exists(std::filesystem::symlink_status(file, unknown)))
    throw ScenarioError({"--out", "", problem, file.string(), expected});
}

void check_can_be_written(const std::filesystem::path& file) {
  refuse_folder_in_place_of(file);
  try {
    try_writing_beside(file);
  } catch (const std::system_error& error) {
    refuse_file(file, error.code().message());
  }
}

void check_place_of_page(const std::filesystem::path& page) {
  const auto refuse = [&](const std::string& problem, const std::string& expected) {
    throw ScenarioError({"--out", "", problem, page.string(), expected});
  };
  if (page.extension() != ".html" && page.extension() != ".htm")
    refuse("this is not the name of an HTML file", "a file whose name ends in .html");
  if (std::filesystem::is_directory(page)) refuse("this is a folder", "a file in it");
  if (std::filesystem::exists(page) && !is_a_report(page))
    refuse("this file exists and is not a report", "another name, or the report to replace");
  if (const auto folder = page.parent_path(); !folder.empty() && !std::filesystem::is_directory(folder))
    refuse("the folder of this file does not exist", "a folder that exists");
}

void check_place_of_picture(const std::filesystem::path& picture, const std::string& option) {
  std::error_code unknown;  // which trying to write finds out
  if (!std::filesystem::is_regular_file(picture, unknown)) return;
  const std::string head = beginning_of(picture);
  if (head.empty() || head.find(mark_of_picture(picture)) != std::string::npos) return;
  throw ScenarioError({option, "", "this file exists and is not a picture made by starling", picture.string(),
                       "another name, or the picture to replace"});
}

std::unique_ptr<const FolderLock> lock_output_folder(const std::optional<std::filesystem::path>& folder,
                                                     const char* file, bool is_forced) {
  if (!folder) return nullptr;
  std::unique_ptr<const FolderLock> lock = lock_output_folder(*folder);
  if (!is_forced && std::filesystem::exists(*folder / file))
    throw UsageError(fmt::format("{} has a {} already; --force replaces it", folder->string(), file));
  refuse_folder_in_place_of(*folder / file);
  return lock;
}

}  // namespace starling
