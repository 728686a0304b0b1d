#pragma once

#include <cstdint>

namespace starling {

/// Random changes of what a scenario gives, by at most a share of it, to find out what depends on the order
/// of what happens at the same moment. No key of a scenario.
struct Jitter {
  double share = 0;  // 0: none
  std::uint64_t seed = 0;
};

}  // namespace starling
