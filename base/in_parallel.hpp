#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "base/task_threads.hpp"

namespace starling {

/// Calls each(0) to each(count − 1) from so many threads, in this order but for who is quicker; from the
/// calling one if one is enough. Throws what one of them throws, after which no more are begun.
template <typename Each>
void in_parallel(int threads, std::size_t count, const Each& each) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) each(i);
    return;
  }
  const auto source = [next = std::size_t{0}, count]() mutable {
    return next < count ? std::optional(next++) : std::nullopt;
  };
  TaskThreads<std::size_t, std::monostate> workers(threads, source, [&each](std::size_t i) {
    each(i);
    return std::monostate();
  });
  while (workers.take()) {
  }
}

}  // namespace starling
