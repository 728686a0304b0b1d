#pragma once

#include <string_view>

#include "base/options/option_visitor.hpp"

namespace starling {

/// Checks the values that an options struct holds against its description.
/// @throws std::invalid_argument for the first that does not fit: "`subject`: streams is 0; it must be from 1
/// to 1024"; for an option of a nested object, "`subject`: link: bandwidth is 0; …"; for an object that is of
/// a kind, the name of the kind comes before the option.
void check_options(std::string_view subject, const Description& describe);

}  // namespace starling
