#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace starling {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

/// Makes a rename in this folder last.
void synchronize_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;  // some file systems do not open folders: nothing more can be done there
  ::fsync(descriptor);
  ::close(descriptor);
}

/// Opens a file to be written that is not there, or is emptied or added to (`flags`); negative if that is
/// refused.
int open_to_write(const std::filesystem::path& path, int flags) {
  constexpr mode_t permissions = 0666;  // less what the user's mask forbids
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, permissions);
}

/// Writes the text to a new file beside `path`, and calls `rename` with its place; if either fails, that file
/// is gone.
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

OutputFile::OutputFile(const std::filesystem::path& path) : OutputFile(path, open_to_write(path, O_TRUNC)) {}

OutputFile::OutputFile(std::filesystem::path path, int descriptor) : path_(std::move(path)) {
  if (descriptor < 0) fail("cannot write", path_);
  file_.reset(::fdopen(descriptor, "w"));
  if (file_) return;
  const int problem = errno;
  ::close(descriptor);
  errno = problem;
  fail("cannot write", path_);
}

OutputFile OutputFile::appending(const std::filesystem::path& path) {
  return {path, open_to_write(path, O_APPEND)};
}

OutputFile OutputFile::beside(const std::filesystem::path& path) {
  for (int number = 0;; ++number) {
    std::filesystem::path own = path.parent_path() / fmt::format(".starling-{}-{}.tmp", ::getpid(), number);
    const int descriptor = open_to_write(own, O_EXCL);
    if (descriptor >= 0) return OutputFile(std::move(own), descriptor);
    if (errno != EEXIST) fail("cannot write", path);
  }
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("cannot write", path_);
}

void OutputFile::flush() {
  if (std::fflush(file_.get()) != 0) fail("cannot write", path_);
}

void OutputFile::close() {
  flush();
  // A pipe or a device such as /dev/null cannot be synchronized, and need not be.
  if (::fsync(::fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) fail("cannot write", path_);
  if (std::fclose(file_.release()) != 0) fail("cannot write", path_);
}

void write_atomically(const std::filesystem::path& path, std::string_view text) {
  write_beside(path, text,
               [&](const std::filesystem::path& written) { std::filesystem::rename(written, path); });
  synchronize_folder(path.parent_path());
}

void write_once(const std::filesystem::path& path, std::string_view text) {
  write_beside(path, text,
               [&](const std::filesystem::path& written) { rename_without_replacing(written, path); });
}

void rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    // Not every file system can do both in one step.
    if (errno != EINVAL && errno != ENOSYS) fail("cannot create", to);
    errno = EEXIST;
    if (std::filesystem::exists(to)) fail("cannot create", to);
    std::filesystem::rename(from, to);
  }
  synchronize_folder(to.parent_path());
}

}  // namespace starling
