#pragma once

#include <optional>
#include <string>

#include "analysis/model/model_report.hpp"

namespace starling {

/// How long an algorithm takes under some conditions.
struct RegimeTime {
  std::string label;
  std::optional<Sampling> model = {};  // absent where there is no model
  ModelValidity validity = ModelValidity::exact;
  std::optional<Sampling> simulated = {};  // absent where nothing is simulated
};

}  // namespace starling
