#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "base/task_threads.hpp"

namespace starling {

/// Calls each(0) … each(count − 1) in at most `threads` threads, and returns when all calls have ended. Calls
/// begin in this order. With one thread or one call, all are made in the calling thread. If a call throws, no
/// further calls begin; once those running have ended, the first exception is rethrown.
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
