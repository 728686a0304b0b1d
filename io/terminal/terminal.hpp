#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starling {

/// What is asked for on the command line cannot be done; a program that reports it exits with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What to print of an error: one that does not name a file names us.
std::string error_text(const std::exception& error);

/// Writes a warning to stderr.
void warn(std::string_view text);

/// Writes to stdout, at once. @throws std::system_error if that fails, unless nobody reads any more and
/// outlive_reader() was called.
void print_out(std::string_view text);
/// Writes JSON to stdout as print_out() does a text; it stays JSON, whatever is in its strings.
void print_json(std::string_view json);
/// From now on the program goes on when nobody reads its stdout any more: there are files to complete.
void outlive_reader() noexcept;
/// Writes to stderr if that is possible.
void print_error(std::string_view text) noexcept;

}  // namespace starling
