#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starling {

/// The command line is wrong. A program that reports it exits with code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text to print for an error: that of a ScenarioError as it is, any other after "starling: ".
std::string error_text(const std::exception& error);

/// Writes a warning to stderr.
void warn(std::string_view text);

/// Writes to stdout and flushes. @throws std::system_error if that fails, except for a closed pipe after
/// outlive_reader().
void print_out(std::string_view text);
/// Writes JSON to stdout like print_out(). Control characters in its strings become JSON escapes, so the
/// output is valid JSON.
void print_json(std::string_view json);
/// From now on, the program continues if the reader of its stdout has gone, as it has files to complete.
void outlive_reader() noexcept;
/// Writes to stderr; failures are ignored.
void print_error(std::string_view text) noexcept;

}  // namespace starling
