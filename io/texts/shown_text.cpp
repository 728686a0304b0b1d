#include "io/texts/shown_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/texts/plain_text.hpp"

namespace starling {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && !begins_letter(text[i]);
}

/// Whether the second byte is valid after the first: no overlong form, no surrogate, and no code point beyond
/// U+10FFFF.
bool may_be_second(unsigned char first, unsigned char second) {
  return !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F) &&
         !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
}

/// The number of bytes of the UTF-8 character that begins at i; 0 if none does.
std::size_t character_bytes(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  const std::size_t count = first < 0x80   ? 1
                            : first < 0xC2 ? 0
                            : first < 0xE0 ? 2
                            : first < 0xF0 ? 3
                            : first < 0xF5 ? 4
                                           : 0;
  for (std::size_t k = 1; k < count; ++k)
    if (!is_continuation(text, i + k)) return 0;
  return count < 2 || may_be_second(first, byte_at(text, i + 1)) ? count : 0;
}

/// Whether a character is a control character of ASCII or one of U+0080 … U+009F, which some terminals obey,
/// too.
bool is_control(std::string_view character) {
  const unsigned char first = byte_at(character, 0);
  if (character.size() == 1) return is_control_byte(character[0]) && first != '\n' && first != '\t';
  return first == 0xC2 && byte_at(character, 1) < 0xA0;
}

}  // namespace

bool is_utf_8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t count = character_bytes(text, i);
    if (count == 0) return false;
    i += count;
  }
  return true;
}

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

std::string_view first_letters(std::string_view text, std::size_t letters) {
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end)
    if (begins_letter(text[end]) && count++ == letters) break;
  return text.substr(0, end);
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t count = character_bytes(text, i);
    const std::string_view character = text.substr(i, std::max<std::size_t>(count, 1));
    if (count > 0 && !is_control(character))
      shown += character;
    else
      for (const char byte : character) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    i += character.size();
  }
  return shown;
}

std::string printable_json(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view character = text.substr(i, std::max<std::size_t>(character_bytes(text, i), 1));
    // For a control character of two bytes, the second byte is its code point.
    if (is_control(character))
      shown += fmt::format("\\u{:04x}", static_cast<unsigned char>(character.back()));
    else
      shown += character;
    i += character.size();
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  std::size_t end = most_bytes;
  while (end > 0 && is_continuation(text, end)) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace starling
