#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace starling {

/// Throws std::invalid_argument with a formatted text.
template <typename... Arguments>
[[noreturn]] void reject(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw std::invalid_argument(fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// Returns make(). If that throws std::invalid_argument, the text of the exception thrown on begins with
/// `where`.
template <typename Make>
auto rejecting_for(std::string_view where, const Make& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    reject("{}: {}", where, error.what());
  }
}

/// @throws std::invalid_argument unless value is at least `least`.
inline void check_at_least(std::string_view where, int value, int least) {
  if (value < least) reject("{} must be at least {}, got {}", where, least, value);
}

}  // namespace starling
