#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace starling {

/// Nothing can be written at a path that somebody chose: it is for others to write, or no place for a file.
class UnwritablePath : public std::system_error {
 public:
  using std::system_error::system_error;
};

/// A text file being written. Every call throws std::system_error that names the file if the system refuses.
class OutputFile {
 public:
  /// Creates the file, or empties it; refuses a symbolic link, which may lead anywhere. @throws
  /// UnwritablePath if it cannot because of the path.
  explicit OutputFile(const std::filesystem::path& path);
  /// Opens the file, or creates it, to write after what it holds. Refuses and throws as the constructor does.
  static OutputFile appending(const std::filesystem::path& path);
  /// Creates a file beside `path` under a name that nothing there has. Errors name `path`.
  static OutputFile beside(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  void write(std::string_view text);
  /// Hands everything written to the system, so that it outlives this process.
  void flush();
  /// Hands everything written to the system, waits until the disk has it, and closes the file.
  void close();

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path meant, int descriptor);

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::filesystem::path meant_;  // as errors call it
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Replaces `path` by a file that holds `text`: whoever looks, even after a crash, sees the old one or the
/// new one, whole.
void write_atomically(const std::filesystem::path& path, std::string_view text);

/// The same, but throws std::system_error (file_exists) if `path` exists.
void write_once(const std::filesystem::path& path, std::string_view text);

/// Removes what processes that were killed have left in a folder of what they wrote beside files.
void remove_abandoned_files(const std::filesystem::path& folder) noexcept;

/// Renames `from` to `to`, but not if `to` exists: then it throws std::system_error (file_exists).
void rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace starling
