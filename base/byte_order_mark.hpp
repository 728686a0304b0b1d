#pragma once

#include <string_view>

namespace starling {

/// The text without the UTF-8 byte order mark that spreadsheets and editors put at the beginning of files.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// Whether a text is UTF-16: it begins with a UTF-16 byte order mark, or exactly one of its first two bytes
/// is zero.
inline bool is_utf_16(std::string_view text) {
  if (text.size() < 2) return false;
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         (text[0] == '\0') != (text[1] == '\0');
}

}  // namespace starling
