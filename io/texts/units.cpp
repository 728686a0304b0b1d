#include "io/texts/units.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/texts/near_key.hpp"

namespace starling {

namespace {

/// A value in this unit is value · multiplier / divisor in SI. Division makes "5us" the double nearest to
/// 5e-6.
struct Unit {
  std::string name;
  Dimension dimension = Dimension::time;
  double multiplier = 1;
  double divisor = 1;
};

std::vector<Unit> make_units() {
  std::vector<Unit> units = {
      {"ns", Dimension::time, 1, 1e9},      {"us", Dimension::time, 1, 1e6},
      {"\u00b5s", Dimension::time, 1, 1e6},  // the micro sign
      {"\u03bcs", Dimension::time, 1, 1e6},  // the Greek letter mu
      {"ms", Dimension::time, 1, 1e3},      {"s", Dimension::time, 1, 1},
      {"min", Dimension::time, 60, 1},      {"h", Dimension::time, 3600, 1},
  };
  struct Prefix {
    const char* name;
    double factor;
  };
  constexpr double ki = 1024;
  constexpr std::array<Prefix, 9> prefixes = {{{"", 1},
                                               {"k", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"Ki", ki},
                                               {"Mi", ki * ki},
                                               {"Gi", ki * ki * ki},
                                               {"Ti", ki * ki * ki * ki}}};
  for (const Prefix& prefix : prefixes) {
    const std::string name = prefix.name;
    units.push_back({name + "B", Dimension::size, prefix.factor, 1});
    units.push_back({name + "bps", Dimension::bandwidth, prefix.factor, 8});
    units.push_back({name + "Bps", Dimension::bandwidth, prefix.factor, 1});
  }
  return units;
}

const std::vector<Unit>& all_units() {
  static const std::vector<Unit> units = make_units();
  return units;
}

std::string wrong_unit(std::string_view name, Dimension dimension) {
  for (const Unit& unit : all_units())
    if (unit.name == name) return fmt::format("\"{}\" is a unit of {}", name, name_of(unit.dimension));
  constexpr std::size_t longest_unit = 16;
  if (name.size() > longest_unit) return "unknown unit";
  return fmt::format("unknown unit \"{}\"{}", name, suggestion(name, unit_names(dimension)));
}

}  // namespace

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "time";
    case Dimension::size:
      return "size";
    case Dimension::bandwidth:
      return "bandwidth";
  }
  return "";
}

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : all_units())
    if (unit.dimension == dimension) names.push_back(unit.name);
  return names;
}

std::string_view accepted_form(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "a time such as \"5us\", \"320ms\" or \"1.5s\"";
    case Dimension::size:
      return "a size such as \"4096B\", \"64KiB\" or \"100MB\"";
    case Dimension::bandwidth:
      return "a bandwidth such as \"25Gbps\" (bits) or \"10GBps\" (bytes)";
  }
  return "";
}

std::string_view si_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "seconds";
    case Dimension::size:
      return "bytes";
    case Dimension::bandwidth:
      return "bytes per second";
  }
  return "";
}

std::variant<double, std::string> parse_quantity(std::string_view text, Dimension dimension) {
  constexpr std::size_t longest_quantity = 64;
  if (text.size() > longest_quantity) return "is too long";
  if (text.starts_with('-')) return "must not be negative";
  const bool starts_with_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!starts_with_digit) return "does not start with a number";

  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return "number out of range";

  std::string_view name = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (name.starts_with(' ')) name.remove_prefix(1);
  if (name.empty()) return "has no unit";

  for (const Unit& unit : all_units()) {
    if (unit.dimension != dimension || unit.name != name) continue;
    const double value = number * unit.multiplier / unit.divisor;
    if (!std::isfinite(value)) return "number out of range";
    return value;
  }
  return wrong_unit(name, dimension);
}

}  // namespace starling
