#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace starling {

/// A file in memory, which exists until the last process that has it open ends.
class MemoryFile {
 public:
  /// Programs that this process starts inherit the file only if `is_inherited`.
  /// @throws std::system_error if there is no memory.
  explicit MemoryFile(const char* name, bool is_inherited = false)
      : descriptor_(::memfd_create(name, is_inherited ? 0 : MFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// The path of the file for this process, for a child before it executes another program, and for programs
  /// that inherit the file.
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  /// @throws std::system_error if there is no memory.
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "cannot write to memory");
      text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
  }

 private:
  int descriptor_;
};

}  // namespace starling
