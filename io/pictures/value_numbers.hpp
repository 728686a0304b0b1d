#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/options/range.hpp"

namespace starling {

/// Values of a scenario converted to numbers.
struct ValueNumbers {
  std::vector<double> numbers;         // SI
  std::optional<Dimension> dimension;  // of quantities; absent if all are plain numbers
};

/// The numbers of the values; nothing unless all are numbers, or quantities of one dimension, with or without
/// a unit.
std::optional<ValueNumbers> numbers_of(const std::vector<nlohmann::json>& values);

}  // namespace starling
