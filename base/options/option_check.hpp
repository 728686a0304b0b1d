#pragma once

#include <string_view>

#include "base/options/option_visitor.hpp"

namespace starling {

/// Checks the values of options against their description.
/// @throws std::invalid_argument for the first that does not fit: "`subject`: streams is 0; it must be from 1
/// to 1024"; of an option of an object within, "`subject`: link: bandwidth is 0; …", and of one of a kind,
/// with the kind's name before it.
void check_options(std::string_view subject, const Description& describe);

}  // namespace starling
