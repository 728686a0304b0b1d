#include "base/readable_file.hpp"

#include <system_error>

namespace starling {

std::string why_not_readable(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  const std::string path = file.string();
  const bool is_open_already =
      path.starts_with("/dev/fd/") || path.starts_with("/proc/") || path == "/dev/stdin";
  if (std::filesystem::is_directory(status)) return "is a directory";
  if (is_open_already || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status))
    return "";
  return std::filesystem::is_fifo(status) ? "is a named pipe" : "is a device";
}

}  // namespace starling
