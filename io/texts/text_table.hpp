#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

using TableRow = std::vector<std::string>;

/// Columns as wide as their widest cell: the first flush left, the others flush right. At least one row, all
/// of as many cells.
std::string aligned(const std::vector<TableRow>& rows);

/// A time with four digits and a fitting unit: "615.3 ms".
std::string time_text(double seconds);

/// Whether an error is not less than rounding shows.
bool is_error_shown(double seconds, double error_s);

/// A time with its standard error, if that is shown: "615.3 ± 2.1 ms".
std::string time_text(double seconds, double error_s);

/// A number of bytes with four digits and a fitting unit (powers of 1000): "102.2 MB".
std::string bytes_text(double bytes);

/// A share with one decimal: "3.2 %"; "–" if there is none.
std::string percent_text(std::optional<double> share);

/// Whole numbers with a separator for thousands: "12,345".
std::string count_text(double number);

/// So many a second: whole numbers from 1000 on, "12,345", of less four digits: "13.81".
std::string throughput_text(double per_s);

/// "2 to 8"; one of them where both texts are alike.
std::string least_to_greatest(const std::string& least, const std::string& greatest);

/// So many of that: "1 worker", "12 workers".
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace starling
