#pragma once

#include <optional>
#include <string>

#include "analysis/model/model_report.hpp"

namespace starling {

/// The iteration time of an algorithm at a point of a map.
struct RegimeTime {
  std::string label;
  std::optional<Sampling> model = {};             // absent if the algorithm has no model
  ModelValidity validity = ModelValidity::exact;  // of `model`
  std::optional<Sampling> simulated = {};         // absent if the point is not simulated
};

}  // namespace starling
