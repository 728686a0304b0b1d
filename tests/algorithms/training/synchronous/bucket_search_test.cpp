#include "algorithms/training/synchronous/bucket_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace starling {
namespace {

TEST_CASE("a bucket search tries its start first, stays in its range and returns the best trial") {
  std::vector<double> asked;
  const auto objective = [&](double bytes) {
    asked.push_back(bytes);
    return std::abs(bytes / mebibyte - 80) + 100;
  };
  const BucketSearchResult result = search_bucket_bytes(objective);
  CHECK(asked.size() == 10);
  CHECK(asked.front() == 25 * mebibyte);
  REQUIRE(result.trials.size() == 10);
  double least_s = result.trials.front().iteration_time_s;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(result.trials[i].bucket_bytes == asked[i]);
    CHECK(asked[i] >= mebibyte);
    CHECK(asked[i] <= 256 * mebibyte);
    least_s = std::min(least_s, result.trials[i].iteration_time_s);
  }
  CHECK(result.iteration_time_s == least_s);
}

TEST_CASE("a bucket search tries no size twice") {
  const auto result = search_bucket_bytes([](double) { return 1.0; }, {.trials = 30});
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(result.trials[i].bucket_bytes != result.trials[j].bucket_bytes);
  }
}

TEST_CASE("a bucket search returns its start where all sizes take the same time") {
  CHECK(search_bucket_bytes([](double) { return 1.0; }).bucket_bytes == 25 * mebibyte);
}

/// Iteration times like those of training: a start-up per bucket against overlap lost to large buckets.
double valley(double bytes, double best_mebibytes) {
  const double x = bytes / mebibyte / best_mebibytes;
  return 0.2 + 0.02 * (x + 1 / x);
}

TEST_CASE("ten trials of a bucket search come within 2 % of the best time, wherever it lies") {
  for (const double best : {2.0, 10.0, 25.0, 60.0, 130.0, 240.0}) {
    const auto result = search_bucket_bytes([best](double bytes) { return valley(bytes, best); });
    CAPTURE(best);
    CAPTURE(result.bucket_bytes / mebibyte);
    CHECK(result.iteration_time_s < 1.02 * valley(best * mebibyte, best));
  }
}

TEST_CASE("a bucket search makes the same trials every time") {
  const auto objective = [](double bytes) { return valley(bytes, 60) + 0.01 * std::sin(bytes / mebibyte); };
  const auto one = search_bucket_bytes(objective);
  const auto other = search_bucket_bytes(objective);
  for (std::size_t i = 0; i < one.trials.size(); ++i) {
    CHECK(one.trials[i].bucket_bytes == other.trials[i].bucket_bytes);
  }
}

TEST_CASE("rounding of times does not change the trials of a bucket search") {
  const auto objective = [](double bytes) { return valley(bytes, 60) + 0.01 * std::sin(bytes / mebibyte); };
  int asked = 0;
  const auto rounded = [&](double bytes) { return objective(bytes) * (1 + (++asked % 3 - 1) * 1e-14); };
  const auto one = search_bucket_bytes(objective, {.trials = 30});
  const auto other = search_bucket_bytes(rounded, {.trials = 30});
  CHECK(one.bucket_bytes == other.bucket_bytes);
  for (std::size_t i = 0; i < one.trials.size(); ++i) {
    CHECK(one.trials[i].bucket_bytes == other.trials[i].bucket_bytes);
  }
  // Of equal times to nine digits it is the first.
  asked = 0;
  CHECK(search_bucket_bytes([&](double) { return 1 - ++asked * 1e-14; }).bucket_bytes == 25 * mebibyte);
}

TEST_CASE("a bucket search in a range of one point makes as many trials as asked") {
  const auto result =
      search_bucket_bytes([](double bytes) { return bytes; },
                          {.start_bytes = 5, .smallest_bytes = 5, .largest_bytes = 5, .trials = 3});
  CHECK(result.bucket_bytes == 5);
  CHECK(result.trials.size() == 3);
}

std::string search_complaint(const BucketSearchOptions& options) {
  try {
    search_bucket_bytes([](double) { return 1.0; }, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("invalid options of a bucket search are refused") {
  CHECK(search_complaint({.start_bytes = 1, .smallest_bytes = 2, .largest_bytes = 3}) ==
        "bucket search: smallest 2, start 1, largest 3 bytes; they must be positive and in that order");
  CHECK(search_complaint({.start_bytes = 1, .smallest_bytes = 0, .largest_bytes = 3}) ==
        "bucket search: smallest 0, start 1, largest 3 bytes; they must be positive and in that order");
  CHECK(search_complaint({.trials = 0}) == "bucket search: trials is 0; it must be 1 or more");
  CHECK(search_complaint({.exploration = -0.5}) ==
        "bucket search: exploration is -0.5; it must not be negative");
}

}  // namespace
}  // namespace starling
