#pragma once

#include <cstddef>

namespace starling {

inline constexpr std::ptrdiff_t cache_line_bytes = 64;

/// Prefetches `lines` cache lines, starting at `first`, that will be used soon. With thousands of messages in
/// flight, their data has left the cache.
inline void fetch(const void* first, int lines = 1) {
  for (int line = 0; line < lines; ++line)
    __builtin_prefetch(static_cast<const char*>(first) + line * cache_line_bytes);
}

}  // namespace starling
