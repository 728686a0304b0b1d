#pragma once

#include <cstdint>

#include "base/options/option_visitor.hpp"

namespace starling {

/// How precisely mean iteration times must be known before a run ends.
struct WantedPrecision {
  double standard_error = 0.01;         // of each mean, relative to it
  std::int64_t most_iterations = 5000;  // warm-up included; the run ends then in any case
};

void describe(WantedPrecision& precision, OptionVisitor& visitor);

}  // namespace starling
