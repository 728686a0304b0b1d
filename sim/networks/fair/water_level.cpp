#include "sim/networks/fair/water_level.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace starling {
namespace {

/// Of rounding in a sum of some thousand limits that fill a link to the last bit.
constexpr double rounding = 1e-12;

/// `value` if the condition holds, else 0; without a jump, which would be guessed wrong of every other flow.
double if_true(bool condition, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & (0 - std::uint64_t{condition}));
}

/// What a link has left for the flows that a level limits, when those whose limits are below have theirs.
struct Rest {
  double room;
  double weight;
  std::size_t limited = 0;  // how many have theirs

  void take_if_below(double level, const Demand& demand) {
    const bool is_limited = demand.limit < level;
    limited += is_limited;
    room -= if_true(is_limited, demand.weight * demand.limit);
    weight -= if_true(is_limited, demand.weight);
  }
  double level() const { return room / weight; }
};

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
    Rest rest{.room = capacity, .weight = all_weight};
    for (const Demand& demand : demands) rest.take_if_below(level, demand);
    if (rest.limited <= limited_before || rest.limited == demands.size()) return level;
    level = std::max(level, rest.level());
    limited_before = rest.limited;
  }
}

}  // namespace starling
