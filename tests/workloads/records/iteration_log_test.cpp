#include "workloads/records/iteration_log.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/io/scratch_folder.hpp"

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

/// Sets the variable TMPDIR as long as the object exists.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name) {
    if (const char* const before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", name.c_str(), 1);
  }
  ~TemporaryFolder() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_CASE("Where the disk cannot take a log the error names the folder and the variable") {
  const TemporaryFolder folder("/nowhere");
  CHECK_THROWS_WITH_AS(
      IterationLog(1000, 1000, 1),
      "0.1 GB of records do not fit in memory, and cannot be kept in /nowhere: No such file or directory; "
      "set the environment variable TMPDIR to another folder, or take fewer workers or iterations",
      std::runtime_error);
  CHECK_NOTHROW(IterationLog(1000, 1000));  // in memory
}

TEST_CASE("A log on disk leaves no file behind, not even where it is not destroyed") {
  const ScratchFolder scratch;
  const TemporaryFolder folder(scratch.path());
  const IterationLog log(1000, 1000, 1);
  CHECK(log.is_on_disk());
  CHECK(std::filesystem::is_empty(scratch.path()));
}

TEST_CASE("The ends of all iterations are in order, and an iteration that ends at a moment has ended then") {
  IterationLog log(2);
  for (const double ended_s : {1.0, 4.0}) log.add(0, {.end_s = ended_s});
  for (const double ended_s : {2.0, 3.0, 5.0}) log.add(1, {.end_s = ended_s});
  CHECK(ends_in_order_s(log) == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(iterations_ended(log, 0, 0.5) == 0);
  CHECK(iterations_ended(log, 0, 1) == 1);
  CHECK(iterations_ended(log, 1, 3.5) == 2);
  CHECK(iterations_ended(log, 1, 9) == 3);
}

}  // namespace
}  // namespace starling
