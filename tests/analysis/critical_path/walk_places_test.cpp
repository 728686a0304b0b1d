#include "analysis/critical_path/walk_places.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/random.hpp"

namespace starling {
namespace {

std::optional<std::size_t> last_of(const std::map<std::size_t, WalkPlaces::Group>& groups, std::size_t first,
                                   std::size_t last) {
  auto after = groups.upper_bound(last);
  if (after == groups.begin() || (--after)->first < first) return std::nullopt;
  return after->first;
}

TEST_CASE("Groups are found where they entered, the last place first, and one that comes later joins") {
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
    const std::size_t first = random.below(place + 1, turn, 2);
    const std::optional<std::size_t> last = walks.last_taken(first, place);
    CHECK(last == last_of(groups, first, place));
    if (!last || random.below(2, turn, 3) == 0) continue;
    CHECK(walks.leave(*last) == groups.at(*last));
    groups.erase(*last);
  }
}

}  // namespace
}  // namespace starling
