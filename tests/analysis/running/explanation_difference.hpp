#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "analysis/critical_path/critical_path.hpp"
#include "analysis/results/link_use.hpp"
#include "base/types.hpp"
#include "sim/agenda/explanation.hpp"
#include "tests/rounding.hpp"

namespace starling {

/// The sum over all parts of how much two critical paths differ, as a share of the iteration time.
inline double difference(const CriticalPath& one, const CriticalPath& other) {
  std::map<std::tuple<SpentOn, Rank, std::string>, double> parts;
  for (const PathPart& part : one.parts) parts[{part.on, part.rank, part.link}] += part.s;
  for (const PathPart& part : other.parts) parts[{part.on, part.rank, part.link}] -= part.s;
  double sum = 0;
  for (const auto& [whom, s] : parts) sum += std::abs(s);
  return sum / one.iteration_s;
}

/// Checks that the use of a link by evaluated messages equals that by simulated ones. `beside_bytes`: the
/// most bytes in flight of messages that were not evaluated.
inline void check_alike(const LinkUse& evaluated, const LinkUse& sent, double beside_bytes = 0) {
  CAPTURE(sent.name);
  CHECK(evaluated.name == sent.name);
  CHECK(evaluated.bytes == about(sent.bytes, 1e-12));
  CHECK(std::abs(evaluated.busy_fraction - sent.busy_fraction) <= 1e-9);
  CHECK(evaluated.most_bytes_under_way <= sent.most_bytes_under_way * (1 + 1e-12));
  CHECK(evaluated.most_bytes_under_way >= sent.most_bytes_under_way * (1 - 1e-12) - beside_bytes);
  for (std::size_t i = 0; i < sent.bytes_while.size(); ++i)
    CHECK(std::abs(evaluated.bytes_while[i] - sent.bytes_while[i]) <= 1e-12 * sent.bytes);
  REQUIRE(evaluated.over_time.size() == sent.over_time.size());
  for (std::size_t i = 0; i < sent.over_time.size(); ++i)
    CHECK(std::abs(evaluated.over_time[i] - sent.over_time[i]) <= 1e-9);
}

inline void check_alike(const LinkUses& evaluated, const LinkUses& sent, double beside_bytes = 0) {
  CHECK(evaluated.period_s == sent.period_s);
  REQUIRE(evaluated.used.size() == sent.used.size());
  for (std::size_t i = 0; i < sent.used.size(); ++i)
    check_alike(evaluated.used[i], sent.used[i], beside_bytes);
}

}  // namespace starling
