#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace starling {

/// A path that the user chose cannot be written: permissions are missing, or it is no possible place for a
/// file.
class UnwritablePath : public std::system_error {
 public:
  using std::system_error::system_error;
};

/// A text file being written. Every call throws std::system_error, which names the file, if the system
/// refuses it.
class OutputFile {
 public:
  /// Creates the file, or truncates it. Refuses a symbolic link, which may lead anywhere. @throws
  /// UnwritablePath if the path cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  /// Opens the file to append to it, or creates it. Refuses and throws as the constructor does.
  static OutputFile appending(const std::filesystem::path& path);
  /// Creates a file with an unused name in the folder of `path`. Errors name `path`.
  static OutputFile beside(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  void write(std::string_view text);
  /// Passes everything written to the system, so that it survives the end of this process.
  void flush();
  /// Passes everything written to the system, waits until it is on disk, and closes the file.
  void close();

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path meant, int descriptor);

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::filesystem::path meant_;  // the path that errors name
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Replaces `path` atomically by a file that holds `text`: readers, even after a crash, see either the old
/// file or the new one, complete.
void write_atomically(const std::filesystem::path& path, std::string_view text);

/// The same, but throws std::system_error (file_exists) if `path` exists.
void write_once(const std::filesystem::path& path, std::string_view text);

/// Removes from a folder the temporary files (see OutputFile::beside) of processes that no longer exist.
void remove_abandoned_files(const std::filesystem::path& folder) noexcept;

/// Renames `from` to `to`, but not if `to` exists: then it throws std::system_error (file_exists).
void rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace starling
