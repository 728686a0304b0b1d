#include "sim/messages/pool.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>

namespace starling {
namespace {

/// An object that counts how many of its kind exist.
struct alignas(64) Counted {
  Counted() { ++existing; }
  ~Counted() { --existing; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  static inline int existing = 0;
  char bytes[256];
};

TEST_CASE("a pool gives out distinct aligned objects, reuses those given back and destroys each once") {
  constexpr int count = 30'000;  // several huge pages
  {
    Pool<Counted> pool;
    std::set<Counted*> all;
    for (int i = 0; i < count; ++i) all.insert(&pool.take());
    CHECK(all.size() == count);
    CHECK(Counted::existing == count);
    for (const Counted* object : all) REQUIRE(reinterpret_cast<std::uintptr_t>(object) % 64 == 0);
    pool.give_back(**all.begin());
    CHECK(&pool.take() == *all.begin());

    Pool<Counted> other = std::move(pool);
    pool = {};
    CHECK(Counted::existing == count);
    other = {};
    CHECK(Counted::existing == 0);
    pool.take();
  }
  CHECK(Counted::existing == 0);
}

}  // namespace
}  // namespace starling
