#pragma once

#include <filesystem>
#include <string>

namespace starling {

/// Why a file is not one to read input from, "is a directory", "is a named pipe" or "is a device"; empty if
/// it is, or if it is not there, which whoever opens it finds out. Reading a named pipe waits for somebody to
/// write, perhaps for ever. Pipes of a shell, /dev/stdin and /dev/fd/63, are input as good as files.
std::string why_not_readable(const std::filesystem::path& file);

}  // namespace starling
