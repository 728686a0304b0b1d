#include "sim/first_in_first_out.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <deque>
#include <vector>

namespace starling {
namespace {

TEST_CASE("a first-in-first-out queue equals std::deque for any sequence of pushes and takes") {
  CHECK(rc::check([](const std::vector<std::pair<unsigned char, unsigned char>>& bursts) {
    FirstInFirstOut<int> items;
    std::deque<int> reference;
    int next = 0;
    for (const auto& [pushes, takes] : bursts) {
      for (int i = 0; i < pushes; ++i) {
        items.push(next);
        reference.push_back(next++);
      }
      for (int i = 0; i < takes && !reference.empty(); ++i) {
        RC_ASSERT(items.take() == reference.front());
        reference.pop_front();
      }
      RC_ASSERT(items.is_empty() == reference.empty());
    }
  }));
}

}  // namespace
}  // namespace starling
