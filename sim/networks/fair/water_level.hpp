#pragma once

#include <span>

namespace starling {

/// The demand of a flow on a link.
struct Demand {
  double weight = 1;
  double limit = 0;  // the least level of its other links; may be infinite
};

/// The level at which flows fill a link: Σ weight · min(level, limit) = capacity. Infinite if the flows at
/// their limits fit.
///
/// Starts from capacity/Σ weight and rises as flows with lower limits are found; at most one round more than
/// there are flows, and rarely more than three. O(flows) per round. Reference: Bertsekas, Gallager, "Data
/// Networks", 2nd edition, 1992, section 6.5.2.
double water_level(double capacity, std::span<const Demand> demands);

}  // namespace starling
