#include "analysis/studies/sweep_database.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <system_error>

#include "io/scenario_error.hpp"

namespace starling {
namespace {

constexpr int busy_timeout_ms = 10'000;

/// The URI by which SQLite opens a path.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02X}", static_cast<int>(c)) : std::string(1, c);
  return uri;
}

bool may_write(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

/// Opens a store that is only read. With write permission it is opened for writing all the same: only then
/// does SQLite remove the files (-wal, -shm) that it needs beside the store. Without, it is opened as
/// immutable, which needs no such files, unless there is a write-ahead log: a sweep is writing the store, or
/// was killed while it did.
SQLite::Database opened_to_read(const std::filesystem::path& path) {
  if (may_write(path) && may_write(std::filesystem::absolute(path).parent_path()))
    return SQLite::Database(path.string(), SQLite::OPEN_READWRITE, busy_timeout_ms);
  std::filesystem::path log = path;
  log += "-wal";
  std::error_code is_missing;
  const bool has_log = std::filesystem::file_size(log, is_missing) > 0 && !is_missing;
  if (has_log) return SQLite::Database(path.string(), SQLite::OPEN_READONLY, busy_timeout_ms);
  return SQLite::Database(uri_of(path) + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                          busy_timeout_ms);
}

/// SQLite's message, and the system's in brackets if a failed system call is the cause.
std::string reason_of(const SQLite::Exception& error, int system_error) {
  const int code = error.getErrorCode();
  if ((code != SQLITE_CANTOPEN && code != SQLITE_IOERR) || system_error == 0) return error.what();
  return fmt::format("{} ({})", error.what(), std::generic_category().message(system_error));
}

}  // namespace

SQLite::Database opened_sweep(const std::filesystem::path& path, bool may_make) {
  if (!may_make) return opened_to_read(path);
  return SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms);
}

void refuse_damage(const std::filesystem::path& path, const std::string& damage) {
  throw ScenarioError(
      {path.string(), "", fmt::format("this store is damaged ({})", damage), "", written_sweep});
}

void fail_sweep(const std::filesystem::path& path, const SQLite::Exception& error, int system_error) {
  constexpr int no_row = -1;  // of SQLiteCpp's own errors
  const int code = error.getErrorCode();
  // SQLITE_ERROR: a table or a column is missing.
  if (code == no_row || code == SQLITE_ERROR || code == SQLITE_CORRUPT) refuse_damage(path, error.what());
  throw std::runtime_error(fmt::format("{}: {}", path.string(), reason_of(error, system_error)));
}

bool is_in_transaction(const SQLite::Database& database) {
  return sqlite3_get_autocommit(database.getHandle()) == 0;
}

int system_error_of(const SQLite::Database& database) { return sqlite3_system_errno(database.getHandle()); }

int system_error_of_opening(const std::filesystem::path& path, bool may_make) {
  sqlite3* database = nullptr;
  const int flags = may_make ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const bool is_open = sqlite3_open_v2(path.c_str(), &database, flags, nullptr) == SQLITE_OK;
  const int system_error = is_open || database == nullptr ? 0 : sqlite3_system_errno(database);
  sqlite3_close(database);
  return system_error;
}

}  // namespace starling
