#pragma once

#include <optional>
#include <string>

#include "analysis/model/model_report.hpp"

namespace starling {

/// How long an algorithm takes under some conditions.
struct RegimeTime {
  std::string label;
  std::optional<SampleEstimate> model_s = {};  // absent where there is no model
  ModelValidity validity = ModelValidity::exact;
  std::optional<SampleEstimate> simulated_s = {};  // absent where nothing is simulated
};

}  // namespace starling
