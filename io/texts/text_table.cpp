#include "io/texts/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

struct ShownUnit {
  double size;
  std::string_view name;
};

/// The first of the units (largest first) in which the rounded value is at least 1, or the last one.
const ShownUnit& fitting_unit(double value, std::span<const ShownUnit> units) {
  // 999.95 and more would show as 1000.0, which is 1.000 of the next unit.
  constexpr double rounds_up = 0.99995;
  const auto reached = [value](const ShownUnit& unit) { return std::abs(value) >= unit.size * rounds_up; };
  return *std::find_if(units.begin(), units.end() - 1, reached);
}

/// Four significant digits; as an integer from 1000 on.
std::string four_digits(double value) {
  return std::abs(value) >= 1000 && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                           : fmt::format("{:#.4g}", value);
}

/// A value in its fitting_unit(); zero in `unit_of_zero`.
std::string scaled_text(double value, std::span<const ShownUnit> units, std::string_view unit_of_zero) {
  if (value == 0) return fmt::format("0 {}", unit_of_zero);
  const ShownUnit& unit = fitting_unit(value, units);
  return fmt::format("{} {}", four_digits(value / unit.size), unit.name);
}

constexpr std::array<ShownUnit, 4> time_units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};

}  // namespace

std::string aligned(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TableRow& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters_in(row[i]));

  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - letters_in(row[i]), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string time_text(double seconds) {
  // Differences of points in time below a tenth of a nanosecond are rounding errors.
  return scaled_text(std::abs(seconds) < 1e-10 ? 0 : seconds, time_units, "s");
}

bool is_error_shown(double seconds, double error_s) {
  constexpr double least_shown = 1e-5;  // of the time
  return !(error_s <= least_shown * std::abs(seconds));
}

std::string time_text(double seconds, double error_s) {
  if (!is_error_shown(seconds, error_s)) return time_text(seconds);
  const ShownUnit& unit = fitting_unit(seconds, time_units);
  const double error = error_s / unit.size;
  const std::string error_digits =
      error < 99.5 ? fmt::format("{:#.2g}", error) : fmt::format("{:.0f}", error);
  return fmt::format("{} ± {} {}", four_digits(seconds / unit.size), error_digits, unit.name);
}

std::string bytes_text(double bytes) {
  static constexpr std::array<ShownUnit, 5> units{
      {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
  return scaled_text(bytes, units, "B");
}

std::string percent_text(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "–";
}

std::string count_text(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  const std::ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > first; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

std::string throughput_text(double per_s) {
  if (per_s < 1000) return fmt::format("{:.4g}", per_s);
  if (per_s > 1e15) return fmt::format("{:.3g}", per_s);
  return count_text(per_s);
}

std::string least_to_greatest(const std::string& least, const std::string& greatest) {
  return least == greatest ? least : fmt::format("{} to {}", least, greatest);
}

}  // namespace starling
