#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace starling {

/// Describes a limit that is infinite if it is left out: calls `describe` with the limit as a std::optional,
/// absent for infinity.
template <typename Describe>
void describe_limit(double& limit, const Describe& describe) {
  std::optional<double> given = std::isfinite(limit) ? std::optional(limit) : std::nullopt;
  describe(given);
  limit = given.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace starling
