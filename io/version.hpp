#pragma once

#include <string>
#include <string_view>

namespace starling {

/// The version of this program, as in "0.2.0".
std::string_view version();

/// The version and build ID of this program, "0.2.0 df53db5519458b88…"; the build ID differs whenever the
/// code does. The version alone if the linker gave no build ID.
const std::string& build();

}  // namespace starling
