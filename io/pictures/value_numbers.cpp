#include "io/pictures/value_numbers.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "io/texts/units.hpp"

namespace starling {
namespace {

using nlohmann::json;

std::optional<double> quantity(const json& value, Dimension dimension) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto parsed = parse_quantity(value.get<std::string>(), dimension);
  if (const double* number = std::get_if<double>(&parsed)) return *number;
  return std::nullopt;
}

}  // namespace

std::optional<ValueNumbers> numbers_of(const std::vector<json>& values) {
  for (const Dimension dimension : {Dimension::time, Dimension::size, Dimension::bandwidth}) {
    ValueNumbers found{.numbers = {}, .dimension = dimension};
    for (const json& value : values)
      if (const auto number = quantity(value, dimension)) found.numbers.push_back(*number);
    if (found.numbers.size() != values.size()) continue;
    if (std::ranges::all_of(values, [](const json& value) { return value.is_number(); }))
      found.dimension.reset();
    return found;
  }
  return std::nullopt;
}

}  // namespace starling
