#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// A quantity of a scenario that is not known better than by a share of it.
struct UncertainQuantity {
  std::string pointer;  // into the scenario as read
  double value = 0;     // in SI units
  double relative_error = 0;
};

/// All of a scenario as read, in its order.
std::vector<UncertainQuantity> uncertain_quantities(const nlohmann::json& as_read);

/// The scenario with each of them replaced by a value drawn from a lognormal law around it, whose standard
/// deviation is its relative error: the same for the same seed, number of the draw and place in the list, so
/// that one more quantity before it changes what is drawn of it. Above 0; a value of 0 stays 0.
nlohmann::json with_drawn(const nlohmann::json& as_read, const std::vector<UncertainQuantity>& quantities,
                          std::uint64_t seed, std::uint64_t draw);

}  // namespace starling
