#include "analysis/studies/sweep_estimate.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/rounding.hpp"

namespace starling {
namespace {

using Chosen = std::vector<std::size_t>;

TEST_CASE("Sampled combinations are spread evenly over all") {
  CHECK(spread_over(0, 5).empty());
  CHECK(spread_over(1, 5) == std::vector<std::int64_t>{0});
  CHECK(spread_over(4, 5) == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(spread_over(101, 5) == std::vector<std::int64_t>{0, 25, 50, 75, 100});
  CHECK(spread_over(9, 1) == std::vector<std::int64_t>{0});
}

TEST_CASE(
    "The first, the middle, the last and the longest combination are measured, except those that take too "
    "long") {
  CHECK(to_measure({}, 60).empty());
  CHECK(to_measure(std::vector<SampledRun>{{1}}, 60) == Chosen{0});
  CHECK(to_measure(std::vector<SampledRun>{{1}, {9}, {2}, {3}, {4}, {5}}, 60) == Chosen{0, 1, 3, 5});
  CHECK(to_measure(std::vector<SampledRun>{{1}, {90}, {2}, {3}, {4}, {5}}, 60) == Chosen{0, 3, 5});
  CHECK(to_measure(std::vector<SampledRun>{{0}, {0}, {0}}, 60) == Chosen{0, 1, 2});
}

TEST_CASE("Runs that were not measured get their expected time times the ratio found by measured ones") {
  CHECK(mean_time_s({}) == 0);
  CHECK(mean_time_s(std::vector<SampledRun>{{2}, {4}}) == 3);
  // Measured runs took twice their expected time.
  CHECK(mean_time_s(std::vector<SampledRun>{{1, 2.0}, {3}, {2, 4.0}}) == about((2 + 6 + 4) / 3.0));
  // No run is estimated below the shortest measured one.
  CHECK(mean_time_s(std::vector<SampledRun>{{1, 2.0}, {0.1}, {2, 4.0}}) == about((2 + 2 + 4) / 3.0));
  CHECK(mean_time_s(std::vector<SampledRun>{{0, 2.0}, {0}, {0, 4.0}}) == 3);
}

}  // namespace
}  // namespace starling
