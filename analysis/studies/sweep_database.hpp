#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What errors say that a sweep's store should be.
inline constexpr const char* written_sweep = "what starling sweep --out wrote";

/// A sweep's file: made if there is none, or only read. @throws SQLite::Exception if it cannot be opened.
SQLite::Database opened_sweep(const std::filesystem::path& path, bool may_make);

[[noreturn]] void refuse_damage(const std::filesystem::path& path, const std::string& damage);

/// @throws ScenarioError if what should be in the store is not there; std::runtime_error of anything else.
[[noreturn]] void fail_sweep(const std::filesystem::path& path, const SQLite::Exception& error,
                             int system_error);

/// Whether changes have begun that are not committed yet.
bool is_in_transaction(const SQLite::Database& database);

/// The system's error (errno) in the last failure of a database; 0 if the system had no part in it.
int system_error_of(const SQLite::Database& database);
/// Why the system does not open a store; 0 if it does.
int system_error_of_opening(const std::filesystem::path& path, bool may_make);

/// Calls `read`, which reads in the store. @throws as fail_sweep(), and ScenarioError if what is there
/// has not the form that it should have.
template <typename Read>
auto reading(const std::filesystem::path& path, const SQLite::Database& database, const Read& read) {
  try {
    return naming_file(path, written_sweep, read);
  } catch (const SQLite::Exception& error) {
    fail_sweep(path, error, system_error_of(database));
  }
}

}  // namespace starling
