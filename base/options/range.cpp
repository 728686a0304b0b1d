#include "base/options/range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace starling {

bool Range::contains(double value) const {
  const bool above = excludes_least ? value > least : value >= least;
  const bool below = excludes_greatest ? value < greatest : value <= greatest;
  return above && below;
}

std::string Range::text() const {
  const std::string lower =
      std::isfinite(least) ? fmt::format("{} {}", excludes_least ? "greater than" : "at least", least) : "";
  const std::string upper = std::isfinite(greatest)
                                ? fmt::format("{} {}", excludes_greatest ? "less than" : "at most", greatest)
                                : "";
  if (lower.empty() || upper.empty()) return lower + upper;
  return excludes_least || excludes_greatest ? lower + " and " + upper
                                             : fmt::format("from {} to {}", least, greatest);
}

std::string IntegerRange::text() const {
  return greatest == IntegerRange().greatest ? fmt::format("at least {}", least)
                                             : fmt::format("from {} to {}", least, greatest);
}

}  // namespace starling
