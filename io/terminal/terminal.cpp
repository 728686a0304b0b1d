#include "io/terminal/terminal.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "io/scenario_error.hpp"
#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

std::atomic<bool> outlives_reader = false;

}  // namespace

std::string error_text(const std::exception& error) {
  if (dynamic_cast<const ScenarioError*>(&error) != nullptr) return error.what();
  return fmt::format("starling: {}", error.what());
}

void warn(std::string_view text) { print_error(fmt::format("starling: warning: {}\n", text)); }

void print_out(std::string_view text) {
  const std::string shown = printable(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE && outlives_reader) return;
  throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
}

void print_json(std::string_view text) { print_out(printable_json(text)); }

void outlive_reader() noexcept { outlives_reader = true; }

void print_error(std::string_view text) noexcept {
  try {
    const std::string shown = printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
  } catch (const std::bad_alloc&) {  // then the error cannot be shown
  }
}

}  // namespace starling
