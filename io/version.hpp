#pragma once

#include <string>
#include <string_view>

namespace starling {

/// This program's version, as in "0.2.0".
std::string_view version();

/// Its version and what its linker called it, "0.2.0 df53db5519458b88…": another one where the program's code
/// is. The version alone where linkers give no build ID.
const std::string& build();

}  // namespace starling
