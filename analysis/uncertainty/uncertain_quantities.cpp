#include "analysis/uncertainty/uncertain_quantities.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "io/json/json_text.hpp"
#include "io/options/reader.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

using nlohmann::json;

void collect(const json& value, const std::string& pointer, std::vector<UncertainQuantity>& found) {
  if (is_uncertain(value)) {
    found.push_back({.pointer = pointer,
                     .value = value.at(key_of_value).get<double>(),
                     .relative_error = value.at(key_of_error).get<double>()});
  } else if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) collect(inner, pointer_to(pointer, key), found);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], pointer_to(pointer, i), found);
  }
}

double standard_normal(double uniform) { return std::numbers::sqrt2 * boost::math::erf_inv(2 * uniform - 1); }

}  // namespace

std::vector<UncertainQuantity> uncertain_quantities(const json& as_read) {
  std::vector<UncertainQuantity> found;
  collect(as_read, "", found);
  return found;
}

json with_drawn(const json& as_read, const std::vector<UncertainQuantity>& quantities, std::uint64_t seed,
                std::uint64_t draw) {
  const CounterRandom random(seed, Purpose::ranges);
  json document = as_read;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const UncertainQuantity& quantity = quantities[i];
    const double variance = std::log1p(quantity.relative_error * quantity.relative_error);
    const double normal = standard_normal(random.uniform(static_cast<std::uint32_t>(i), draw));
    document.at(json::json_pointer(quantity.pointer)) =
        quantity.value * std::exp(std::sqrt(variance) * normal - variance / 2);
  }
  return document;
}

}  // namespace starling
