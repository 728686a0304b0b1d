#include "sim/networks/fair/water_level.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("water level: without limits it is the capacity over the sum of weights") {
  CHECK(water_level(12, std::vector<Demand>{{1, infinity}, {1, infinity}, {1, infinity}}) == about(4, 1e-14));
  CHECK(water_level(12, std::vector<Demand>{{1, infinity}, {2, infinity}}) == about(4, 1e-14));
}

TEST_CASE("water level: what limited flows cannot use is left to the others") {
  CHECK(water_level(12, std::vector<Demand>{{1, 2}, {1, infinity}, {1, 100}}) == about(5, 1e-14));
  CHECK(water_level(12, std::vector<Demand>{{1, 2}, {1, 4.5}, {1, infinity}}) == about(5.5, 1e-14));
  CHECK(water_level(12, std::vector<Demand>{{2, 2}, {1, infinity}}) == about(8, 1e-14));
}

TEST_CASE("water level: it is infinite if all limits together fit the capacity, also if they just fit") {
  CHECK(water_level(12, std::vector<Demand>{{1, 2}, {2, 4}}) == infinity);
  CHECK(water_level(12, std::vector<Demand>{{1, 4}, {2, 4}}) == infinity);
  CHECK(water_level(12, std::vector<Demand>{{1, 4}, {2, 4.1}}) < infinity);
}

TEST_CASE("water level: limits equal to the level up to rounding do not make the search for it endless") {
  // Whether a limit is below the level depends on rounding, and the level depends on which limits are below
  // it.
  for (int flows = 2; flows <= 300; ++flows) {
    const double share = 1.25e9 / flows;
    std::vector<Demand> demands(static_cast<std::size_t>(flows), {1, share});
    for (std::size_t i = 0; i < demands.size(); i += 3) demands[i].limit = std::nextafter(share, 0);
    for (std::size_t i = 1; i < demands.size(); i += 3) demands[i].limit = std::nextafter(share, infinity);
    demands.back().limit = infinity;
    // The unlimited flow gets what is left after a subtraction for each other flow. Each rounds by up to
    // 10⁻¹⁶ of the capacity, which is `flows` shares.
    const double rounded = 1e-16 * flows * flows;
    CHECK(water_level(1.25e9, demands) == about(share, 1e-15 + rounded));
  }
}

TEST_CASE("water level: flows fill the link, whatever their limits") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0.1, 2);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Demand> demands;
    for (unsigned i = 0; i < 1 + random() % 40; ++i) demands.push_back({number(random), number(random)});
    demands.push_back({1, infinity});
    const double capacity = number(random) * static_cast<double>(demands.size());
    const double level = water_level(capacity, demands);
    double load = 0;
    for (const Demand& demand : demands) load += demand.weight * std::min(level, demand.limit);
    CHECK(load == about(capacity, 1e-12));  // tens of roundings
  }
}

}  // namespace
}  // namespace starling
