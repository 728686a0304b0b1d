#include "workloads/records/iteration_log.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <stdexcept>
#include <string>

namespace starling {
namespace {

constexpr int logging_workers = 7;
constexpr std::int64_t logged_iterations = 1000;

double end_s(Rank rank, std::int64_t iteration) {
  return 1000 * rank + 0.125 * static_cast<double>(iteration);
}

void fill(IterationLog& log) {
  for (std::int64_t i = 0; i < logged_iterations; ++i)
    for (Rank rank = 0; rank < logging_workers; ++rank) log.add(rank, {.end_s = end_s(rank, i)});
}

bool is_filled(const IterationLog& log) {
  bool is_right = true;
  for (Rank rank = 0; rank < logging_workers; ++rank) {
    is_right &= log.of(rank).size() == logged_iterations;
    for (std::int64_t i = 0; i < logged_iterations; ++i)
      is_right &= log.of(rank)[static_cast<std::size_t>(i)].end_s == end_s(rank, i);
  }
  return is_right;
}

TEST_CASE("A log holds what was added, whatever number of iterations it was told") {
  for (const std::int64_t told : {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, logged_iterations}) {
    IterationLog log(logging_workers, told);
    fill(log);
    CHECK(is_filled(log));
    CHECK_FALSE(log.is_on_disk());
  }
}

TEST_CASE("A log larger than what may stay in memory lies on disk, and holds the same") {
  constexpr std::size_t most_in_memory = 10'000;  // of 504,000
  for (const std::int64_t told : {std::int64_t{0}, logged_iterations}) {
    IterationLog log(logging_workers, told, most_in_memory);
    fill(log);
    CHECK(log.is_on_disk());
    CHECK(is_filled(log));
    for (IterationRecord& record : log.of(3)) record.imbalance_wait_s = 5;
    CHECK(is_filled(log));
    CHECK(log.of(3).back().imbalance_wait_s == 5);
    CHECK(log.of(4).front().imbalance_wait_s == 0);
  }
}

TEST_CASE("A log of exactly as many bytes as may stay there is in memory") {
  CHECK_FALSE(IterationLog(2, 10, 20 * sizeof(IterationRecord)).is_on_disk());
  CHECK(IterationLog(2, 10, 20 * sizeof(IterationRecord) - 1).is_on_disk());
}

TEST_CASE("Where the disk cannot take a log the error names the folder and the variable") {
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nowhere", 1);
  CHECK_THROWS_WITH_AS(
      IterationLog(1000, 1000, 1),
      "0.1 GB of records do not stay in memory, and cannot be kept in /nowhere: No such file or directory; "
      "the environment variable TMPDIR names another folder, fewer workers or iterations need less",
      std::runtime_error);
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace starling
