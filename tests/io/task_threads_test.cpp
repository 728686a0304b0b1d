#include "base/task_threads.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/in_parallel.hpp"

namespace starling {
namespace {

/// The numbers 0, 1, … count − 1.
std::function<std::optional<int>()> numbers(int count) {
  return [count, next = 0]() mutable { return next < count ? std::optional(next++) : std::nullopt; };
}

std::vector<int> taken(TaskThreads<int, int>& threads) {
  std::vector<int> all;
  while (const std::optional<int> one = threads.take()) all.push_back(*one);
  return all;
}

/// While this exists, new threads ask for stacks larger than any machine has, so that starting them fails.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST_CASE("Each task is done once, by one thread in order") {
  for (const int count : {0, 1, 5, 5000})
    for (const int most_threads : {1, 2, 7}) {
      CAPTURE(count);
      CAPTURE(most_threads);
      TaskThreads<int, int> threads(most_threads, numbers(count), [](int task) { return 2 * task; });
      std::vector<int> results = taken(threads);
      if (most_threads > 1) std::ranges::sort(results);
      std::vector<int> expected(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) expected[static_cast<std::size_t>(i)] = 2 * i;
      CHECK(results == expected);
      CHECK_FALSE(threads.take());
    }
}

TEST_CASE("An exception of a task or of the source of tasks is thrown where results are taken") {
  TaskThreads<int, int> failing(2, numbers(100), [](int task) -> int {
    if (task == 3) throw std::runtime_error("three");
    return task;
  });
  CHECK_THROWS_WITH_AS(taken(failing), "three", std::runtime_error);
  TaskThreads<int, int> ending(
      2,
      [next = 0]() mutable -> std::optional<int> {
        if (next == 3) throw std::runtime_error("no more");
        return next++;
      },
      [](int task) { return task; });
  CHECK_THROWS_WITH_AS(taken(ending), "no more", std::runtime_error);
}

TEST_CASE("When task threads are destroyed no further task is begun") {
  std::atomic<int> begun = 0;
  {
    TaskThreads<int, int> threads(2, numbers(1'000'000), [&](int task) {
      ++begun;
      return task;
    });
    CHECK(threads.take());
  }
  // What nobody takes fills the room that there is.
  CHECK(begun < 2000);
}

TEST_CASE(
    "Where no more threads can be started those that are there do the work, and with none it is an error") {
  {
    const NoMoreThreads limit;
    CHECK_THROWS_WITH_AS((TaskThreads<int, int>(4, numbers(10), [](int task) { return task; })),
                         "no thread can be started: Resource temporarily unavailable", std::system_error);
    CHECK_THROWS_AS(in_parallel(4, 10, [](std::size_t) {}), std::system_error);
  }
  std::optional<NoMoreThreads> limit;
  // The second task is asked for by the first thread.
  TaskThreads<int, int> threads(
      1000,
      [&limit, next = 0]() mutable -> std::optional<int> {
        if (next == 1) limit.emplace();
        return next < 2000 ? std::optional(next++) : std::nullopt;
      },
      [](int task) { return task; });
  CHECK(taken(threads).size() == 2000);
  CHECK(limit.has_value());
}

TEST_CASE("In parallel every number is called once, and the first problem is thrown") {
  std::vector<std::atomic<int>> calls(1000);
  in_parallel(4, calls.size(), [&](std::size_t i) { ++calls[i]; });
  CHECK(std::ranges::all_of(calls, [](const std::atomic<int>& times) { return times == 1; }));
  for (const int threads : {1, 4})
    CHECK_THROWS_WITH_AS(in_parallel(threads, 100,
                                     [](std::size_t i) {
                                       if (i == 7) throw std::runtime_error("seven");
                                     }),
                         "seven", std::runtime_error);
}

}  // namespace
}  // namespace starling
