#include "io/output_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST_CASE("An output file holds what was written") {
  const ScratchFolder folder;
  OutputFile file(folder.path() / "text");
  file.write("one ");
  file.write("two");
  file.flush();
  CHECK(contents_of(folder.path() / "text") == "one two");
  file.write("!");
  file.close();
  CHECK(contents_of(folder.path() / "text") == "one two!");
}

TEST_CASE("A file in a folder that does not exist is an error that names it") {
  const ScratchFolder folder;
  const std::string path = (folder.path() / "missing" / "text").string();
  CHECK_THROWS_WITH_AS(OutputFile{path}, ("cannot write " + path + ": No such file or directory").c_str(),
                       std::system_error);
}

TEST_CASE("A full disk is an error") {
  if (!std::filesystem::exists("/dev/full")) return;
  OutputFile file("/dev/full");
  CHECK_THROWS_WITH_AS(
      {
        file.write("text");
        file.flush();
      },
      "cannot write /dev/full: No space left on device", std::system_error);
}

TEST_CASE("An atomic write replaces the whole file and leaves nothing else") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "text";
  write_atomically(path, "a long first text");
  write_atomically(path, "second");
  CHECK(contents_of(path) == "second");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("A temporary file gets a name that is free, and is removed where writing fails") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "text";
  write_file(folder.path() / "text.tmp", "the user's own");
  const OutputFile first = OutputFile::beside(path);
  const OutputFile second = OutputFile::beside(path);
  CHECK(first.path() != second.path());
  CHECK(first.path().parent_path() == folder.path());
  CHECK(files_in(folder.path()) == 3);

  std::filesystem::create_directory(path);
  CHECK_THROWS_AS(write_once(path, "text"), std::system_error);
  CHECK_THROWS_AS(write_atomically(path, "text"), std::system_error);
  CHECK(files_in(folder.path()) == 4);
  CHECK(contents_of(folder.path() / "text.tmp") == "the user's own");
}

TEST_CASE("Errors name the output file, not the temporary one") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "text";
  std::filesystem::create_directory(path);
  CHECK_THROWS_WITH_AS(write_atomically(path, "text"),
                       ("cannot write " + path.string() + ": Is a directory").c_str(), std::system_error);
  const std::string missing = (folder.path() / "missing" / "text").string();
  CHECK_THROWS_WITH_AS(write_atomically(missing, "text"),
                       ("cannot write " + missing + ": No such file or directory").c_str(), UnwritablePath);
}

TEST_CASE("Temporary files of killed processes are removed, and no others") {
  const ScratchFolder folder;
  constexpr const char* none = "2147483647";  // greater than any process id
  const std::filesystem::path text = folder.path() / "text";
  const OutputFile own = OutputFile::beside(text);
  for (const char* name : {".starling-{}-0.tmp", ".starling-{}-12.tmp"})
    write_file(folder.path() / fmt::format(fmt::runtime(name), none), "half");
  const std::vector<std::string> others{"starling-{}-0.tmp",   ".starling-{}-0.tmp~", ".starling-{}-x.tmp",
                                        ".starling-{}-00.tmp", ".starling-{}.tmp",    ".starling--{}-0.tmp",
                                        ".starling-0-0.tmp",   ".starling-.tmp",      ".starling"};
  for (const std::string& name : others)
    write_file(folder.path() / fmt::format(fmt::runtime(name), none), "the user's own");
  remove_abandoned_files(folder.path());
  CHECK(files_in(folder.path()) == static_cast<std::ptrdiff_t>(others.size()) + 1);
  CHECK(std::filesystem::exists(own.path()));
  remove_abandoned_files(folder.path() / "missing");
}

TEST_CASE("A symbolic link is not followed") {
  const ScratchFolder folder;
  const std::filesystem::path victim = folder.path() / "victim";
  const std::filesystem::path link = folder.path() / "link";
  write_file(victim, "precious");
  std::filesystem::create_symlink(victim, link);
  CHECK_THROWS_WITH_AS(OutputFile{link},
                       ("cannot write " + link.string() + ": Too many levels of symbolic links").c_str(),
                       std::system_error);
  CHECK(contents_of(victim) == "precious");
}

TEST_CASE("A file that may be written only once is not replaced") {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "text";
  write_once(path, "first");
  CHECK_THROWS_WITH_AS(write_once(path, "second"),
                       ("cannot create " + path.string() + ": File exists").c_str(), std::system_error);
  CHECK(contents_of(path) == "first");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("Renaming does not replace a file") {
  const ScratchFolder folder;
  write_file(folder.path() / "new", "new");
  write_file(folder.path() / "old", "old");
  const std::string old = (folder.path() / "old").string();
  CHECK_THROWS_WITH_AS(rename_without_replacing(folder.path() / "new", old),
                       ("cannot create " + old + ": File exists").c_str(), std::system_error);
  CHECK(contents_of(old) == "old");

  rename_without_replacing(folder.path() / "new", folder.path() / "other");
  CHECK(contents_of(folder.path() / "other") == "new");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "new"));
}

}  // namespace
}  // namespace starling
