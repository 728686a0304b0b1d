#include "sim/networks/fair/pair_table.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <set>
#include <utility>

namespace starling {
namespace {

struct Thing {
  std::pair<Rank, Rank> pair;
  bool is_needed = true;
};

TEST_CASE("pair table: an entry is found by its source and destination, and not by these exchanged") {
  PairTable<Thing> table;
  std::deque<Thing> things;
  for (Rank source = 0; source < 40; ++source) {
    for (Rank destination = 0; destination < source; ++destination) {
      if (table.is_full()) table.keep_if([](const Thing&) { return true; }, [](Thing&) { CHECK(false); });
      table.add(source, destination, things.emplace_back(Thing{{source, destination}}));
    }
  }
  for (Thing& thing : things) {
    CHECK(table.find(thing.pair.first, thing.pair.second) == &thing);
    CHECK(table.find(thing.pair.second, thing.pair.first) == nullptr);
  }
}

TEST_CASE(
    "pair table: an entry that is no longer needed is dropped once, and the table does not grow for it") {
  PairTable<Thing> table;
  std::deque<Thing> things;
  std::multiset<const Thing*> dropped;
  std::size_t sweeps = 0;
  for (Rank i = 0; i < 1000; ++i) {
    if (table.is_full()) {
      ++sweeps;
      table.keep_if([](const Thing& thing) { return thing.is_needed; },
                    [&](Thing& thing) { dropped.insert(&thing); });
    }
    table.add(i, i + 1, things.emplace_back(Thing{{i, i + 1}}));
    things.back().is_needed = i % 100 == 0;
  }
  for (Thing& thing : things) {
    CHECK(dropped.count(&thing) <= 1);
    CHECK(table.find(thing.pair.first, thing.pair.second) == (dropped.contains(&thing) ? nullptr : &thing));
    if (thing.is_needed) CHECK_FALSE(dropped.contains(&thing));
  }
  // A table of 32 places is full with 16 entries, of which at most ten are needed: had the table grown, it
  // would have been swept less often.
  CHECK(sweeps > 1000 / 32);
}

}  // namespace
}  // namespace starling
