#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starling {

/// A field of CSV (RFC 4180): quoted if it contains a comma, a quote or a line break.
std::string csv_field(std::string_view text);
/// A number with all its digits; empty if it is absent or not finite.
std::string csv_field(const std::optional<double>& number);

}  // namespace starling
