#include "topologies/networks/route_cache.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace starling {
namespace {

using Pair = std::pair<std::uint16_t, std::uint16_t>;

std::vector<LinkIndex> numbered(std::size_t links, int first) {
  std::vector<LinkIndex> route(links);
  for (std::size_t index = 0; index < links; ++index) route[index] = first + static_cast<int>(index);
  return route;
}

TEST_CASE("a route that was never inserted is not found") {
  RouteCache cache;
  CHECK(cache.find(0, 0).empty());
  cache.insert(1, 2, std::vector<LinkIndex>{7});
  CHECK(cache.find(2, 1).empty());
  CHECK(cache.find(1, 2).front() == 7);
}

TEST_CASE("the cache holds what a map holds, for any pairs and lengths") {
  CHECK(rc::check([](const std::map<Pair, unsigned char>& lengths) {
    RouteCache cache;
    std::map<Pair, std::span<const LinkIndex>> given;
    for (const auto& [pair, length] : lengths) {
      const std::vector<LinkIndex> route = numbered(length + 1U, pair.first);
      given[pair] = cache.insert(pair.first, pair.second, route);
    }
    for (const auto& [pair, length] : lengths) {
      const std::span<const LinkIndex> found = cache.find(pair.first, pair.second);
      const std::vector<LinkIndex> expected = numbered(length + 1U, pair.first);
      RC_ASSERT(std::vector<LinkIndex>(found.begin(), found.end()) == expected);
      // Routes given out before others were inserted are still in place.
      RC_ASSERT(std::ranges::equal(given[pair], expected));
    }
  }));
}

TEST_CASE("all pairs of three hundred vertices are found again, where they were") {
  RouteCache cache;
  std::vector<std::span<const LinkIndex>> given;
  for (int pair = 0; pair < 90000; ++pair) {
    given.push_back(cache.insert(pair / 300, pair % 300, numbered(2, pair)));
  }
  for (int pair = 0; pair < 90000; ++pair) {
    const std::span<const LinkIndex> found = cache.find(pair / 300, pair % 300);
    REQUIRE(found.size() == 2);
    REQUIRE(found.front() == pair);
    REQUIRE(std::ranges::equal(given[static_cast<std::size_t>(pair)], found));
  }
}

TEST_CASE("a route may be longer than a block of the arena") {
  RouteCache cache;
  cache.insert(0, 1, numbered(3, 0));
  cache.insert(0, 2, numbered(200000, 5));
  cache.insert(0, 3, numbered(3, 9));
  CHECK(cache.find(0, 2).size() == 200000);
  CHECK(cache.find(0, 2).back() == 200004);
  CHECK(cache.find(0, 1).back() == 2);
  CHECK(cache.find(0, 3).back() == 11);
}

}  // namespace
}  // namespace starling
