#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace starling {

/// Whether a byte of UTF-8 begins a character.
constexpr bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// Whether a text is valid UTF-8 (RFC 3629).
bool is_utf_8(std::string_view text);

/// The number of characters (code points) of a text in UTF-8.
std::size_t letters_in(std::string_view text);
/// The first `letters` characters of a text in UTF-8; all if there are fewer.
std::string_view first_letters(std::string_view text, std::size_t letters);

/// The text for a terminal: control characters, except line breaks and tabs, and invalid UTF-8 are escaped as
/// "\\x1b", so that text from a file cannot control the terminal.
std::string printable(std::string_view text);

/// The JSON for a terminal: control characters in its strings are replaced by JSON escapes.
std::string printable_json(std::string_view json);

/// The text; if it has more than most_bytes bytes, cut at a character boundary and followed by "…".
std::string shortened(std::string_view text, std::size_t most_bytes);

}  // namespace starling
