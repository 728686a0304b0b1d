#pragma once

#include <string_view>

namespace starling {

/// This program's version, as in "0.2.0".
std::string_view version();

}  // namespace starling
