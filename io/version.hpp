#pragma once

#include <string>
#include <string_view>

namespace starling {

/// This program's version, as in "0.2.0".
std::string_view version();

/// This program's version and its build ID, "0.2.0 df53db5519458b88…", which another program code does not
/// have. The version alone where linkers give no build ID.
const std::string& build();

}  // namespace starling
