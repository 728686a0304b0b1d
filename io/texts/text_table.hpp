#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

using TableRow = std::vector<std::string>;

/// Formats rows as a table with columns as wide as their widest cell; the first is left-aligned, the others
/// right-aligned. There must be at least one row, and all rows must have the same number of cells.
std::string aligned(const std::vector<TableRow>& rows);

/// A time with four digits and a fitting unit: "615.3 ms".
std::string time_text(double seconds);

/// Whether the standard error of a time is large enough to be shown: more than 1e-5 of the time.
bool is_error_shown(double seconds, double error_s);

/// A time with its standard error, if is_error_shown(): "615.3 ± 2.1 ms".
std::string time_text(double seconds, double error_s);

/// A number of bytes with four digits and a fitting unit (powers of 1000): "102.2 MB".
std::string bytes_text(double bytes);

/// A share as a percentage with one decimal: "3.2 %"; "–" if it is absent.
std::string percent_text(std::optional<double> share);

/// A number rounded to an integer, with thousands separators: "12,345".
std::string count_text(double number);

/// A rate per second: with four digits below 1000, "13.81"; as an integer from there on, "12,345".
std::string throughput_text(double per_s);

/// "2 to 8"; only one of the texts if they are equal.
std::string least_to_greatest(const std::string& least, const std::string& greatest);

/// A count with its noun: "1 worker", "12 workers".
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace starling
