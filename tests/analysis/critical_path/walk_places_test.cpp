#include "analysis/critical_path/walk_places.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "sim/random.hpp"

namespace starling {
namespace {

TEST_CASE(
    "Groups of walks are found at their places, the last place first, and a later group joins the one "
    "there") {
  constexpr std::size_t places = 300;
  const CounterRandom random(1, Purpose::schedule);
  WalkPlaces walks;
  walks.make_room(places);
  std::map<std::size_t, WalkPlaces::Group> groups;
  for (std::uint32_t turn = 0; turn < 20'000; ++turn) {
    const std::size_t place = random.below(places, turn, 0);
    const auto group = static_cast<WalkPlaces::Group>(turn);
    if (random.below(3, turn, 1) == 0)
      CHECK(walks.enter(group, place) == groups.try_emplace(place, group).first->second);
    CHECK(walks.is_taken(place) == groups.contains(place));
    const auto after = groups.upper_bound(place);
    if (after == groups.begin()) continue;
    const auto last = std::prev(after);
    CHECK(walks.last_taken(place) == last->first);
    if (random.below(2, turn, 2) == 0) continue;
    CHECK(walks.leave(last->first) == last->second);
    groups.erase(last);
  }
}

}  // namespace
}  // namespace starling
