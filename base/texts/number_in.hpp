#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace starling {

/// The number that a text consists of, with a decimal point whatever the locale; nothing if the text is
/// anything else, contains blanks, or the number is out of range.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace starling
