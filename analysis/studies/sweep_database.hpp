#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What a sweep's store should be, as errors put it.
inline constexpr const char* written_sweep = "what starling sweep --out wrote";

/// Opens a sweep's file: to write, where a missing file is created, if `may_make`; else to read. @throws
/// SQLite::Exception if it cannot be opened.
SQLite::Database opened_sweep(const std::filesystem::path& path, bool may_make);

/// @throws ScenarioError that says that the store is damaged, and how.
[[noreturn]] void refuse_damage(const std::filesystem::path& path, const std::string& damage);

/// Turns an error of SQLite into one for users. `system_error` is the errno behind it, or 0. @throws
/// ScenarioError if the store is corrupt, or lacks a table, column or row; std::runtime_error otherwise.
[[noreturn]] void fail_sweep(const std::filesystem::path& path, const SQLite::Exception& error,
                             int system_error);

/// Whether a transaction is open.
bool is_in_transaction(const SQLite::Database& database);

/// The errno behind the last failure of a database; 0 if it was no system call that failed.
int system_error_of(const SQLite::Database& database);
/// The errno of trying to open a store; 0 if it can be opened.
int system_error_of_opening(const std::filesystem::path& path, bool may_make);

/// Returns what `read` returns, a function that reads from the store. @throws as fail_sweep(), and
/// ScenarioError if JSON in the store does not have the form that `read` expects.
template <typename Read>
auto reading(const std::filesystem::path& path, const SQLite::Database& database, const Read& read) {
  try {
    return naming_file(path, written_sweep, read);
  } catch (const SQLite::Exception& error) {
    fail_sweep(path, error, system_error_of(database));
  }
}

}  // namespace starling
