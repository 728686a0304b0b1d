#include "sim/networks/fair/earliest_links.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace starling {
namespace {

TEST_CASE(
    "earliest links: whatever times are set, changed and removed, the link of the earliest is in front") {
  for (const unsigned count : {2U, 50U}) {  // with two links often none has a time
    std::mt19937 random(1);
    EarliestLinks links;
    std::vector<double> times_s(count, EarliestLinks::never_s);
    for (int step = 0; step < 20'000; ++step) {
      const auto link = static_cast<std::size_t>(random() % count);
      times_s[link] = random() % 3 == 0 ? EarliestLinks::never_s : static_cast<double>(random() % 40);
      links.set(static_cast<LinkIndex>(link), times_s[link]);
      const auto earliest = std::ranges::min_element(times_s);  // of equal ones the first
      REQUIRE(links.earliest_s() == *earliest);
      REQUIRE(links.time_s(static_cast<LinkIndex>(link)) == times_s[link]);
      REQUIRE(links.is_empty() == (*earliest == EarliestLinks::never_s));
      if (!links.is_empty()) REQUIRE(links.earliest() == earliest - times_s.begin());
    }
  }
}

}  // namespace
}  // namespace starling
