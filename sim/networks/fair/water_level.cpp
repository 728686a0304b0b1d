#include "sim/networks/fair/water_level.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace starling {
namespace {

/// The relative rounding error of a sum of some thousand limits that fill a link exactly.
constexpr double rounding = 1e-12;

/// `value` if the condition holds, else 0; branchless, as a branch would be mispredicted for every other
/// flow.
double if_true(bool condition, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & (0 - std::uint64_t{condition}));
}

/// The capacity of a link that is left, once the flows whose limits are below a level have theirs, for the
/// others.
struct Rest {
  double room;
  double weight;
  std::size_t limited = 0;  // the number of flows at their limits

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

  // Stops when no further flow is limited, not when the level stops changing: limits equal to the level
  // could make it alternate in its last bit for ever.
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
