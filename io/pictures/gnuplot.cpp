#include "io/pictures/gnuplot.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <stdexcept>

#include "io/scenario_error.hpp"

namespace starling {

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

void run_gnuplot(const std::string& script, const std::filesystem::path& picture) {
  const std::filesystem::path folder = std::filesystem::absolute(picture).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw ScenarioError({picture.string(), "", "cannot be drawn: there is no such folder", folder.string(),
                         "a folder that is there"});
  // Without a file to write to, the picture itself would appear.
  std::FILE* const gnuplot = ::popen("gnuplot - >/dev/null", "w");
  if (gnuplot == nullptr) throw std::runtime_error("cannot start gnuplot");
  std::fwrite(script.data(), 1, script.size(), gnuplot);
  const int status = ::pclose(gnuplot);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw std::runtime_error("gnuplot is not installed (Debian package gnuplot-nox)");
  if (status != 0) throw std::runtime_error("gnuplot could not draw " + picture.string());
}

}  // namespace starling
