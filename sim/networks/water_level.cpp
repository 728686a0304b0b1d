#include "sim/networks/water_level.hpp"

#include <algorithm>
#include <limits>

namespace starling {
namespace {

/// Of rounding in a sum of some thousand limits that fill a link to the last bit.
constexpr double rounding = 1e-12;

}  // namespace

double water_level(double capacity, std::span<const Demand> demands) {
  double all_weight = 0;
  double all_limits = 0;
  for (const Demand& demand : demands) {
    all_weight += demand.weight;
    all_limits += demand.weight * demand.limit;
  }
  if (all_limits <= capacity * (1 + rounding)) return std::numeric_limits<double>::infinity();

  // Stops when no more flows are limited, not when the level stands still: limits that equal it would let it
  // go up and down by a last bit for ever.
  double level = capacity / all_weight;
  std::size_t limited_before = 0;
  while (true) {
    std::size_t limited = 0;
    double room = capacity;
    double open_weight = all_weight;
    for (const Demand& demand : demands) {
      if (demand.limit >= level) continue;
      ++limited;
      room -= demand.weight * demand.limit;
      open_weight -= demand.weight;
    }
    if (limited <= limited_before || limited == demands.size()) return level;
    level = std::max(level, room / open_weight);
    limited_before = limited;
  }
}

}  // namespace starling
