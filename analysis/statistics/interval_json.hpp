#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/statistics/estimate.hpp"
#include "base/errors.hpp"

namespace starling {

/// An interval as all files have it: [least, greatest]. As or_null() takes it, too.
/// @throws InvariantError unless both are finite, as JSON has no other numbers.
inline void to_json(nlohmann::ordered_json& value, const Interval& interval) {
  STARLING_INVARIANT(std::isfinite(interval.least) && std::isfinite(interval.greatest));
  value = nlohmann::ordered_json::array({interval.least, interval.greatest});
}

}  // namespace starling
