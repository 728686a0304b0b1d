#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace starling {

/// A field as RFC 4180 wants it: in quotes if it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);
/// A number with all its digits; empty if there is none, or none that is finite.
std::string csv_field(const std::optional<double>& number);

}  // namespace starling
