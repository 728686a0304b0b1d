#pragma once

#include <string>
#include <string_view>

namespace starling {

/// A field as RFC 4180 wants it: in quotes if it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

}  // namespace starling
