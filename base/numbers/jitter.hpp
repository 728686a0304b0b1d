#pragma once

#include <cstdint>

namespace starling {

/// Random perturbations of the values of a scenario, by at most `share` of each, to find out which results
/// depend on the order of simultaneous events. Not a key of scenarios.
struct Jitter {
  double share = 0;  // 0: none
  std::uint64_t seed = 0;
};

}  // namespace starling
