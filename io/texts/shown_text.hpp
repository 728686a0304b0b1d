#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace starling {

/// Whether a character of UTF-8 begins with this byte.
constexpr bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// Whether all of a text is UTF-8 (RFC 3629).
bool is_utf_8(std::string_view text);

/// The number of characters, not bytes, of a text in UTF-8.
std::size_t letters_in(std::string_view text);
/// The first `letters` characters of a text in UTF-8; all if there are fewer.
std::string_view first_letters(std::string_view text, std::size_t letters);

/// The text for a terminal: control characters except line breaks and tabs, and what is not UTF-8, as
/// "\\x1b", so that what comes from a file cannot command the terminal.
std::string printable(std::string_view text);

/// The JSON for a terminal: in its strings such characters stand as escapes of JSON.
std::string printable_json(std::string_view json);

/// The text, cut at the end of a character and with "…" if it has more than so many bytes.
std::string shortened(std::string_view text, std::size_t most_bytes);

}  // namespace starling
