#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/options/range.hpp"

namespace starling {

/// Values of a scenario as the numbers that they are.
struct ValueNumbers {
  std::vector<double> numbers;         // SI
  std::optional<Dimension> dimension;  // of quantities; none where all are plain numbers
};

/// None unless all are numbers, or quantities of one dimension, with or without a unit.
std::optional<ValueNumbers> numbers_of(const std::vector<nlohmann::json>& values);

}  // namespace starling
