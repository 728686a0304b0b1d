#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// A quantity of a scenario that is given with a relative error.
struct UncertainQuantity {
  std::string pointer;  // into the scenario as read
  double value = 0;     // in SI units
  double relative_error = 0;
};

/// All uncertain quantities of a scenario as read, in the document's order.
std::vector<UncertainQuantity> uncertain_quantities(const nlohmann::json& as_read);

/// The scenario with each quantity replaced by a draw from a lognormal distribution with the quantity's value
/// as mean and its relative error as relative standard deviation. A draw depends on the seed, the number of
/// the draw and the quantity's place in the list, so a further quantity before it changes it. Draws are above
/// 0; a value of 0 stays 0.
nlohmann::json with_drawn(const nlohmann::json& as_read, const std::vector<UncertainQuantity>& quantities,
                          std::uint64_t seed, std::uint64_t draw);

}  // namespace starling
