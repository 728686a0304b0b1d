#pragma once

#include <algorithm>
#include <string_view>

namespace starling {

/// The text without leading and trailing blanks, tabs and line ends.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Whether a byte is an ASCII control character, line breaks and tabs included. Terminals obey such
/// characters.
constexpr bool is_control_byte(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }

/// Whether a text contains ASCII control characters, and so may not fit on one line.
constexpr bool has_control_bytes(std::string_view text) { return std::ranges::any_of(text, is_control_byte); }

}  // namespace starling
