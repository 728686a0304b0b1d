#pragma once

#include <string_view>

namespace starling {

/// The text without the byte order mark of UTF-8, which spreadsheets and editors begin files with.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// Whether a text is UTF-16: it begins with the byte order mark of that, or with a character of which one
/// byte is zero.
inline bool is_utf_16(std::string_view text) {
  if (text.size() < 2) return false;
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         (text[0] == '\0') != (text[1] == '\0');
}

}  // namespace starling
