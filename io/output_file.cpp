#include "io/output_file.hpp"

#include <fcntl.h>
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

/// Writes the text to a new file beside `path`, and tells where. Whatever a crash, or somebody else, has
/// left at that place goes first.
std::filesystem::path written_beside(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path unfinished = path;
  unfinished += ".tmp";
  std::filesystem::remove(unfinished);
  OutputFile file(unfinished);
  file.write(text);
  file.close();
  return unfinished;
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  constexpr mode_t permissions = 0666;  // less what the user's mask forbids
  const int descriptor =
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, permissions);
  if (descriptor < 0) fail("cannot write", path_);
  file_.reset(::fdopen(descriptor, "w"));
  if (!file_) fail("cannot write", path_);
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
  std::filesystem::rename(written_beside(path, text), path);
  synchronize_folder(path.parent_path());
}

void write_once(const std::filesystem::path& path, std::string_view text) {
  rename_without_replacing(written_beside(path, text), path);
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
