#include "io/pictures/gnuplot.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

std::string drawing_error(const ScratchFolder& folder, const std::filesystem::path& picture) {
  return error_of(folder.path(), [&] { run_gnuplot("", picture); });
}

TEST_CASE("a picture that cannot be written is an error that says why, before gnuplot is asked") {
  const ScratchFolder folder;
  const std::filesystem::path taken = folder.path() / "taken.svg";
  std::filesystem::create_directory(taken);
  const std::string expected = ", expected the name of a file in a folder that you may write to";
  CHECK(drawing_error(folder, taken) == "taken.svg: cannot be written (Is a directory)" + expected);
  if (::geteuid() == 0) return;  // whom nothing is forbidden
  const std::filesystem::path closed = folder.path() / "closed";
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  CHECK(drawing_error(folder, closed / "x.svg") ==
        "closed/x.svg: cannot be written (Permission denied)" + expected);
}

TEST_CASE("without a folder for a picture, that is the error") {
  const ScratchFolder folder;
  CHECK(drawing_error(folder, folder.path() / "none" / "x.svg")
            .starts_with("none/x.svg: cannot be drawn: there is no such folder"));
}

}  // namespace
}  // namespace starling
