#include "io/pictures/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "io/output_file.hpp"
#include "io/pictures/font_characters.hpp"
#include "io/processes/memory_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

/// Whether a picture is complete, judged by how its format ends.
bool is_whole(std::string_view contents, const std::string& type) {
  if (type == ".png") return contents.ends_with("IEND\xae\x42\x60\x82");  // the last chunk with its checksum
  const std::size_t end = contents.find_last_not_of(" \t\r\n");
  return end != std::string_view::npos &&
         contents.substr(0, end + 1).ends_with(type == ".svg" ? "</svg>" : "%%EOF");
}

/// Writes files atomically; pipes and devices directly.
void write_picture(const std::filesystem::path& picture, std::string_view contents) {
  if (!std::filesystem::exists(picture) || std::filesystem::is_regular_file(picture))
    return write_atomically(std::filesystem::weakly_canonical(picture), contents);
  std::ofstream output(picture, std::ios::binary);
  output << contents << std::flush;
  if (!output)
    throw std::runtime_error(fmt::format("cannot write all of {}: the disk may be full", picture.string()));
}

/// Checks that the file can be written, without changing or leaving it behind.
void check_can_be_written(const std::filesystem::path& picture) {
  if (std::filesystem::is_fifo(picture)) return;  // opening it would wait for a reader
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(picture));
  constexpr mode_t permissions = 0666;  // less what the user's mask forbids
  const int descriptor = ::open(picture.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, permissions);
  if (descriptor < 0)
    throw ScenarioError({picture.string(), "", fmt::format("cannot be written ({})", std::strerror(errno)),
                         "", "the name of a file in a folder that you may write to"});
  ::close(descriptor);
  if (!is_there) std::filesystem::remove(picture);
}

/// The standard output of a shell command; possibly incomplete if it fails.
std::string output_of(const char* command) {
  std::string output;
  std::FILE* const pipe = ::popen(command, "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> part{};
  for (std::size_t count = 1; count > 0;) {
    count = std::fread(part.data(), 1, part.size(), pipe);
    output.append(part.data(), count);
  }
  ::pclose(pipe);
  return output;
}

/// The script without characters that no font has, with a warning. In PNG and PDF, gnuplot would draw boxes
/// for them that may be larger than the picture. SVG is drawn later, with the fonts of the viewer.
std::string with_drawable_characters(const std::string& script, const std::filesystem::path& picture) {
  const bool is_ascii =
      std::ranges::all_of(script, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii || picture.extension() == ".svg") return script;
  // From fontconfig, which finds fonts for gnuplot too; gnuplot uses no bitmap fonts.
  const std::string charsets = output_of("fc-list :scalable=True --format '%{charset}\n' 2>/dev/null");
  if (charsets.empty()) return script;  // the fonts are unknown
  const DrawableText drawable = drawable_text(script, charsets);
  if (drawable.replaced.empty()) return script;
  constexpr std::size_t most_bytes = 60;
  warn(fmt::format("{}: no installed font has {}, drawn as \"?\"; a picture that ends in .svg keeps them",
                   picture.string(), shortened(drawable.replaced, most_bytes)));
  return drawable.text;
}

/// Runs gnuplot, which reports its own errors on stderr.
void carry_out(const std::string& script, const std::filesystem::path& picture) {
  constexpr int is_missing = 127;  // exit code of a shell if a program is missing, and of a program if a
                                   // library is
  // Without redirection, gnuplot would write the picture to stdout. -d ignores settings of the user and the
  // system.
  std::FILE* const gnuplot =
      ::popen("command -v gnuplot >/dev/null || exit 127; gnuplot -d - >/dev/null || exit 1", "w");
  if (gnuplot == nullptr) throw std::runtime_error("cannot start gnuplot");
  std::fwrite(script.data(), 1, script.size(), gnuplot);
  const int status = ::pclose(gnuplot);
  if (WIFEXITED(status) && WEXITSTATUS(status) == is_missing)
    throw std::runtime_error("gnuplot is not installed (Debian package gnuplot-nox)");
  if (status != 0) throw std::runtime_error("gnuplot could not draw " + picture.string());
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "''";
    else
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "'";
}

std::string gnuplot_data(std::string_view name, std::string_view rows) {
  return fmt::format("{} << EOD\n{}EOD\n", name, rows);
}

std::string gnuplot_terminal(const std::filesystem::path& picture, double width_in, double height_in) {
  constexpr double svg_dots = 96;  // per inch
  constexpr double png_dots = 192;
  const std::string type = picture.extension().string();
  std::string text;
  if (type == ".svg")
    text =
        fmt::format("set terminal svg size {:.0f},{:.0f} noenhanced background rgb 'white' font 'sans,13'\n",
                    svg_dots * width_in, svg_dots * height_in);
  else if (type == ".png")
    text = fmt::format("set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'sans,20' lw 2\n",
                       png_dots * width_in, png_dots * height_in);
  else if (type == ".pdf")
    text =
        fmt::format("set terminal pdfcairo size {}in,{}in noenhanced font 'sans,10'\n", width_in, height_in);
  else
    throw ScenarioError({picture.string(), "", "pictures of this format cannot be drawn", type,
                         "a name that ends in .svg, .png or .pdf"});
  return text;
}

void run_gnuplot(const std::string& script, const std::filesystem::path& picture) {
  const std::filesystem::path folder = std::filesystem::absolute(picture).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw ScenarioError({picture.string(), "", "cannot be drawn: there is no such folder", folder.string(),
                         "an existing folder"});
  check_can_be_written(picture);
  // Drawn to memory first, as gnuplot does not report a full disk.
  const MemoryFile drawn("picture", true);  // inherited by gnuplot
  carry_out(
      fmt::format("set output {}\n{}", gnuplot_text(drawn.path()), with_drawable_characters(script, picture)),
      picture);
  std::ifstream written(drawn.path(), std::ios::binary);
  const std::string contents(std::istreambuf_iterator<char>(written), {});
  if (!is_whole(contents, picture.extension().string()))
    throw std::runtime_error("gnuplot has not drawn all of " + picture.string());
  write_picture(picture, contents);
}

}  // namespace starling
