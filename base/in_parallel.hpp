#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace starling {

/// Calls each(0) to each(count − 1) from so many threads, in this order but for who is quicker; from the
/// calling one if one is enough. Throws what one of them throws, after which no more are begun.
template <typename Each>
void in_parallel(int threads, std::size_t count, const Each& each) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr first_problem;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        each(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (first_problem == nullptr) first_problem = std::current_exception();
        next = count;
      }
    }
  };
  const std::size_t number = std::min(static_cast<std::size_t>(threads), count);
  if (number <= 1) {
    work();
  } else {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < number; ++i) workers.emplace_back(work);
  }
  if (first_problem != nullptr) std::rethrow_exception(first_problem);
}

}  // namespace starling
