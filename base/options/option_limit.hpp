#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace starling {

/// Describes a limit that is infinite where it is left out: `describe` is called with what is given of it.
template <typename Describe>
void describe_limit(double& limit, const Describe& describe) {
  std::optional<double> given = std::isfinite(limit) ? std::optional(limit) : std::nullopt;
  describe(given);
  limit = given.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace starling
