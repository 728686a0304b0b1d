#include "io/pictures/gnuplot.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("gnuplot data is a here-document under its name") {
  CHECK(gnuplot_data("$points", "1 2\n3 4\n") == "$points << EOD\n1 2\n3 4\nEOD\n");
}

std::string drawing_error(const ScratchFolder& folder, const std::filesystem::path& picture) {
  return error_of(folder.path(), [&] { run_gnuplot("", picture); });
}

TEST_CASE("a picture that cannot be written is an error that says why, before gnuplot is asked") {
  const ScratchFolder folder;
  const std::filesystem::path taken = folder.path() / "taken.svg";
  std::filesystem::create_directory(taken);
  const std::string expected = ", expected the name of a file in a folder that you may write to";
  CHECK(drawing_error(folder, taken) == "taken.svg: cannot be written (Is a directory)" + expected);
  if (::geteuid() == 0) return;  // root may write everywhere
  const std::filesystem::path closed = folder.path() / "closed";
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  CHECK(drawing_error(folder, closed / "x.svg") ==
        "closed/x.svg: cannot be written (Permission denied)" + expected);
}

/// Draws with a program in place of gnuplot, and returns the error message.
std::string error_of_gnuplot(const ScratchFolder& folder, const std::string& program,
                             const std::filesystem::path& picture, const std::string& script = "plot x\n") {
  std::filesystem::permissions(folder.write("bin/gnuplot", "#!/bin/sh\n" + program),
                               std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // as the program does
  ::setenv("PATH", ((folder.path() / "bin").string() + ":" + path).c_str(), 1);
  std::string said = "no error";
  try {
    run_gnuplot(gnuplot_terminal(picture, 4, 3) + script, picture);
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  std::signal(SIGPIPE, before);
  return said;
}

TEST_CASE("a picture stays as it was unless all of another is drawn") {
  const ScratchFolder folder;
  const std::filesystem::path picture = folder.write("x.svg", "old");
  const std::string to_output = R"(sed -n "s/^set output '\(.*\)'/\1/p" | (read -r file; printf )";
  const auto draw = [&](const std::string& program) { return error_of_gnuplot(folder, program, picture); };
  CHECK(draw("exit 127").starts_with("gnuplot could not draw "));  // as without one of its libraries
  CHECK(draw("cat > /dev/null").starts_with("gnuplot has not drawn all of "));
  CHECK(draw(to_output + "'<svg>' > \"$file\")").starts_with("gnuplot has not drawn all of "));
  CHECK(draw(to_output + "'</svg> and' > \"$file\")").starts_with("gnuplot has not drawn all of "));
  CHECK(contents_of(picture) == "old");
  CHECK(draw(to_output + "'<svg></svg>\\n\\n' > \"$file\")") == "no error");
  CHECK(contents_of(picture) == "<svg></svg>\n\n");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("no settings of users or of the system change a picture") {
  const ScratchFolder folder;
  const std::string words = (folder.path() / "words").string();
  error_of_gnuplot(folder, "cat > /dev/null; echo \"$@\" > '" + words + "'", folder.path() / "x.svg");
  CHECK(contents_of(words) == "-d -\n");
}

/// The input of gnuplot that draws "aΩ漢" to a file of this name, if fonts have all characters except 漢.
std::string drawn_in(const std::string& name, const std::string& fonts) {
  const ScratchFolder folder;
  const std::string script = (folder.path() / "script").string();
  std::filesystem::permissions(folder.write("bin/fc-list", "#!/bin/sh\n" + fonts),
                               std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ((folder.path() / "bin").string() + ":" + path).c_str(), 1);
  error_of_gnuplot(folder, "cat > '" + script + "'", folder.path() / name, "set label 'aΩ漢'\n");
  ::setenv("PATH", path.c_str(), 1);
  return contents_of(script);
}

TEST_CASE(
    "a character that no font has is a question mark in PNG and PDF, where gnuplot would draw over all "
    "else") {
  const std::string fonts = "echo 20-7e a0-ff; echo 370-3ff";
  CHECK(drawn_in("a.png", fonts).find("set label 'aΩ?'\n") != std::string::npos);
  CHECK(drawn_in("a.pdf", fonts).find("set label 'aΩ?'\n") != std::string::npos);
  CHECK(drawn_in("a.svg", fonts).find("set label 'aΩ漢'\n") != std::string::npos);
  CHECK(drawn_in("a.png", "exit 127").find("set label 'aΩ漢'\n") != std::string::npos);
}

TEST_CASE("a picture is written to the file that a symbolic link leads to") {
  const ScratchFolder folder;
  folder.write("x.svg", "old");
  std::filesystem::create_symlink("x.svg", folder.path() / "link.svg");
  const std::filesystem::path link = folder.path() / "link.svg";
  run_gnuplot(gnuplot_terminal(link, 4, 3) + "plot x\n", link);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(contents_of(folder.path() / "x.svg").find("</svg>") != std::string::npos);
}

TEST_CASE("a missing folder for a picture is an error that says so") {
  const ScratchFolder folder;
  CHECK(drawing_error(folder, folder.path() / "none" / "x.svg")
            .starts_with("none/x.svg: cannot be drawn: there is no such folder"));
}

}  // namespace
}  // namespace starling
