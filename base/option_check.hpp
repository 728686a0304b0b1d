#pragma once

#include <string_view>

#include "base/option_visitor.hpp"

namespace starling {

/// Checks the values of options against their description.
/// @throws std::invalid_argument "`subject`: streams is 0; it must be from 1 to 1024" for the first that does
/// not fit.
void check_options(std::string_view subject, const Description& describe);

}  // namespace starling
