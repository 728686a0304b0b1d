#pragma once

#include <span>

namespace starling {

/// What one flow asks of a link.
struct Demand {
  double weight = 1;
  double limit = 0;  // the least level that other links allow it; may be infinite
};

/// The level at which flows fill a link: Σ weight · min(level, limit) = capacity. Infinite if all that the
/// limits allow fits.
///
/// Rises from capacity/Σ weight as flows are found whose limits lie below; at most one round more than there
/// are flows, and rarely more than three. O(flows) a round. Reference: Bertsekas, Gallager, "Data Networks",
/// 2nd edition, 1992, section 6.5.2.
double water_level(double capacity, std::span<const Demand> demands);

}  // namespace starling
