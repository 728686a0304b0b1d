#pragma once

#include <nlohmann/json.hpp>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// An interval as all files have it: [least, greatest]. As or_null() takes it, too.
inline void to_json(nlohmann::ordered_json& value, const Interval& interval) {
  value = nlohmann::ordered_json::array({interval.least, interval.greatest});
}

}  // namespace starling
