#include "analysis/critical_path/critical_paths.hpp"

#include <doctest/doctest.h>

#include <array>

#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr std::size_t steps_of_iteration = 10'000;

PathsOfJob job_of_one(std::int64_t iterations, std::int64_t warmup_iterations) {
  return {
      .workers = 1, .iterations = iterations, .warmup_iterations = warmup_iterations, .network_workers = 2};
}

/// Adds an iteration of one second: a chain of 10,000 computing steps of `rank` from `begin_s` on. Returns
/// its end.
double compute_an_iteration(CausalLog& causes, Rank rank, double begin_s) {
  CausalLog::Index step = causes.current();
  for (std::size_t i = 1; i <= steps_of_iteration; ++i)
    step = causes.add(begin_s + static_cast<double>(i) / steps_of_iteration, step,
                      Blame{.on = SpentOn::compute, .who = rank});
  causes.iteration_ended(rank, begin_s + 1, step);
  return begin_s + 1;
}

}  // namespace

TEST_CASE("critical paths: steps of warm-up are dropped, even beside a job that has ended") {
  CausalLog causes;
  CriticalPaths paths(causes);
  paths.add(std::array{Rank{0}}, job_of_one(10, 9));
  paths.add(std::array{Rank{1}}, job_of_one(1, 0));
  double now_s = compute_an_iteration(causes, 1, 0);
  CHECK(causes.known() >= steps_of_iteration);  // kept: rank 0 may have waited for them
  for (int iteration = 0; iteration < 9; ++iteration) {
    now_s = compute_an_iteration(causes, 0, now_s);
    CHECK(causes.known() < steps_of_iteration);
  }
  compute_an_iteration(causes, 0, now_s);
  for (const std::size_t number : {0U, 1U}) {
    const std::optional<CriticalPath> path = paths.mean(number, {});
    REQUIRE(path.has_value());
    CHECK(path->spent_s(SpentOn::compute) == about(1));
  }
}

}  // namespace starling
