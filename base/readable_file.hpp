#pragma once

#include <filesystem>
#include <string>

namespace starling {

/// Why input cannot be read from a path: "is a directory", "is a named pipe" or "is a device". Empty if it
/// can, and if there is no such file, which opening it will report. Named pipes are refused because reading
/// one may block forever. Pipes that a shell passes as /dev/stdin or /dev/fd/63 are accepted.
std::string why_not_readable(const std::filesystem::path& file);

}  // namespace starling
