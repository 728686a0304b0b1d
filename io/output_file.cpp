#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/texts/number_in.hpp"

namespace starling {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

[[noreturn]] void fail_to_open(const std::filesystem::path& path) {
  constexpr std::array of_path{EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG};
  const int problem = errno;
  if (std::ranges::find(of_path, problem) == of_path.end()) fail("cannot write", path);
  throw UnwritablePath(problem, std::generic_category(), "cannot write " + path.string());
}

/// The name of a temporary file.
std::string name_beside(std::int64_t process, int number) {
  return fmt::format(".starling-{}-{}.tmp", process, number);
}

/// Whether a name was made by name_beside() for a process that has ended.
bool is_abandoned(const std::string& name) {
  const std::size_t first = name.find('-');
  const std::size_t second = first == std::string::npos ? first : name.find('-', first + 1);
  const std::size_t end = name.rfind('.');
  if (second == std::string::npos || end == std::string::npos || end < second) return false;
  const auto process = number_in<std::int32_t>(std::string_view(name).substr(first + 1, second - first - 1));
  const auto number = number_in<int>(std::string_view(name).substr(second + 1, end - second - 1));
  if (!process || !number || *process <= 0 || name != name_beside(*process, *number)) return false;
  return ::kill(*process, 0) != 0 && errno == ESRCH;
}

/// Makes a rename in this folder durable.
void synchronize_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;  // some file systems cannot open folders; nothing more can be done there
  ::fsync(descriptor);
  ::close(descriptor);
}

/// Opens a file for writing, creating it if necessary; `flags` say whether it must be new (O_EXCL), is
/// truncated or appended to. Negative if the system refuses.
int open_to_write(const std::filesystem::path& path, int flags) {
  constexpr mode_t permissions = 0666;  // less the umask
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, permissions);
}

/// Writes the text to a temporary file beside `path`, and calls `rename` with its path. If either fails, the
/// temporary file is removed.
template <typename Rename>
void write_beside(const std::filesystem::path& path, std::string_view text, const Rename& rename) {
  OutputFile file = OutputFile::beside(path);
  try {
    file.write(text);
    file.close();
    rename(file.path());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(file.path(), ignored);
    throw;
  }
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path)
    : OutputFile(path, path, open_to_write(path, O_TRUNC)) {}

OutputFile::OutputFile(std::filesystem::path path, std::filesystem::path meant, int descriptor)
    : path_(std::move(path)), meant_(std::move(meant)) {
  if (descriptor < 0) fail_to_open(meant_);
  file_.reset(::fdopen(descriptor, "w"));
  if (file_) return;
  const int problem = errno;
  ::close(descriptor);
  errno = problem;
  fail("cannot write", meant_);
}

OutputFile OutputFile::appending(const std::filesystem::path& path) {
  return {path, path, open_to_write(path, O_APPEND)};
}

OutputFile OutputFile::beside(const std::filesystem::path& path) {
  for (int number = 0;; ++number) {
    std::filesystem::path own = path.parent_path() / name_beside(::getpid(), number);
    const int descriptor = open_to_write(own, O_EXCL);
    if (descriptor >= 0) return {std::move(own), path, descriptor};
    if (errno != EEXIST) fail_to_open(path);
  }
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("cannot write", meant_);
}

void OutputFile::flush() {
  if (std::fflush(file_.get()) != 0) fail("cannot write", meant_);
}

void OutputFile::close() {
  flush();
  // A pipe or a device such as /dev/null cannot be synchronized, and need not be.
  if (::fsync(::fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) fail("cannot write", meant_);
  if (std::fclose(file_.release()) != 0) fail("cannot write", meant_);
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  write_beside(path, text, [&](const std::filesystem::path& written) {
    if (::rename(written.c_str(), path.c_str()) != 0) fail("cannot write", path);
  });
  synchronize_folder(path.parent_path());
}

void write_once(const std::filesystem::path& path, std::string_view text) {
  write_beside(path, text,
               [&](const std::filesystem::path& written) { rename_without_replacing(written, path); });
}

void remove_abandoned_files(const std::filesystem::path& folder) noexcept {
  try {
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (is_abandoned(file.path().filename().string())) std::filesystem::remove(file.path());
  } catch (const std::exception&) {
    // Leftover files do no harm.
  }
}

void rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    // Not every file system can do both in one step.
    if (errno != EINVAL && errno != ENOSYS) fail("cannot create", to);
    errno = EEXIST;
    if (std::filesystem::exists(to)) fail("cannot create", to);
    if (::rename(from.c_str(), to.c_str()) != 0) fail("cannot create", to);
  }
  synchronize_folder(to.parent_path());
}

}  // namespace starling
