#pragma once

#include <cstddef>

namespace starling {

inline constexpr std::ptrdiff_t cache_line_bytes = 64;

/// Asks for some lines of memory, from one on, that will be used soon: where thousands of messages are under
/// way, all lies far away.
inline void fetch(const void* first, int lines = 1) {
  for (int line = 0; line < lines; ++line)
    __builtin_prefetch(static_cast<const char*>(first) + line * cache_line_bytes);
}

}  // namespace starling
