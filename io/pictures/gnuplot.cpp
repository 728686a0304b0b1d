#include "io/pictures/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "io/scenario_error.hpp"

namespace starling {
namespace {

/// Whether a picture has what its format ends with: gnuplot does not tell that a disk is full.
bool is_whole(const std::filesystem::path& picture) {
  constexpr std::streamoff most_of_end_bytes = 64;
  std::ifstream input(picture, std::ios::binary | std::ios::ate);
  const std::streamoff end_bytes = std::min<std::streamoff>(input.tellg(), most_of_end_bytes);
  if (end_bytes <= 0) return false;
  std::string text(static_cast<std::size_t>(end_bytes), '\0');
  input.seekg(-end_bytes, std::ios::end);
  input.read(text.data(), end_bytes);
  const std::string type = picture.extension().string();
  const char* const end = type == ".svg" ? "</svg>" : type == ".png" ? "IEND" : "%%EOF";
  return text.find(end) != std::string::npos;
}

/// Leaves the file as it was, or not there.
void check_can_be_written(const std::filesystem::path& picture) {
  if (std::filesystem::is_fifo(picture)) return;  // would wait for a reader
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(picture));
  constexpr mode_t permissions = 0666;  // less what the user's mask forbids
  const int descriptor = ::open(picture.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, permissions);
  if (descriptor < 0)
    throw ScenarioError({picture.string(), "", fmt::format("cannot be written ({})", std::strerror(errno)),
                         "", "the name of a file in a folder that you may write to"});
  ::close(descriptor);
  if (!is_there) std::filesystem::remove(picture);
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
    throw ScenarioError({picture.string(), "", "no picture of this kind can be drawn", type,
                         "a name that ends in .svg, .png or .pdf"});
  return text + fmt::format("set output {}\n", gnuplot_text(picture.string()));
}

void run_gnuplot(const std::string& script, const std::filesystem::path& picture) {
  const std::filesystem::path folder = std::filesystem::absolute(picture).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw ScenarioError({picture.string(), "", "cannot be drawn: there is no such folder", folder.string(),
                         "a folder that is there"});
  check_can_be_written(picture);
  // Without a file to write to, the picture itself would appear.
  std::FILE* const gnuplot = ::popen("gnuplot - >/dev/null", "w");
  if (gnuplot == nullptr) throw std::runtime_error("cannot start gnuplot");
  std::fwrite(script.data(), 1, script.size(), gnuplot);
  const int status = ::pclose(gnuplot);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw std::runtime_error("gnuplot is not installed (Debian package gnuplot-nox)");
  if (status != 0) throw std::runtime_error("gnuplot could not draw " + picture.string());
  if (!std::filesystem::is_fifo(picture) && !is_whole(picture))
    throw std::runtime_error(fmt::format("cannot write all of {}: the disk may be full", picture.string()));
}

}  // namespace starling
