#include "io/pictures/font_characters.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

/// A range of Unicode code points, ends included.
struct CharacterRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// Parses "a0" or "1ab-1b9".
CharacterRange range_of(std::string_view text) {
  CharacterRange range{.first = 0, .last = 0};
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first, 16);
  range.last = range.first;
  if (first.ptr != end) std::from_chars(first.ptr + 1, end, range.last, 16);
  return range;
}

std::vector<CharacterRange> ranges_of(std::string_view charsets) {
  std::vector<CharacterRange> ranges;
  while (!charsets.empty()) {
    const std::size_t end = std::min(charsets.find_first_of(" \n"), charsets.size());
    if (end > 0) ranges.push_back(range_of(charsets.substr(0, end)));
    charsets.remove_prefix(std::min(end + 1, charsets.size()));
  }
  return ranges;
}

/// The bytes of the first character.
std::string_view first_character(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && !begins_letter(text[end])) ++end;
  return text.substr(0, end);
}

/// The Unicode code point of a character in UTF-8; of more bytes than UTF-8 allows, one that no font has.
std::uint32_t number_of(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  if (character.size() == 1) return byte(0);
  constexpr std::size_t most_bytes = 4;
  if (character.size() > most_bytes) return std::numeric_limits<std::uint32_t>::max();
  std::uint32_t number = byte(0) & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) number = number << 6U | (byte(i) & 0x3FU);
  return number;
}

bool is_ascii(std::string_view character) { return static_cast<unsigned char>(character.front()) < 0x80; }

}  // namespace

DrawableText drawable_text(std::string_view text, std::string_view charsets) {
  const std::vector<CharacterRange> ranges = ranges_of(charsets);
  const auto is_had = [&](std::string_view character) {
    const std::uint32_t number = number_of(character);
    return std::ranges::any_of(
        ranges, [&](const CharacterRange& range) { return range.first <= number && number <= range.last; });
  };
  DrawableText drawable;
  while (!text.empty()) {
    const std::string_view character = first_character(text);
    text.remove_prefix(character.size());
    if (is_ascii(character) || is_had(character)) {
      drawable.text += character;
      continue;
    }
    drawable.text += '?';
    if (drawable.replaced.find(character) == std::string::npos) drawable.replaced += character;
  }
  return drawable;
}

}  // namespace starling
