#pragma once

#include <string>

namespace starling {

/// A text as a part of a file's name, on every system: whatever is no ASCII letter, digit, "-", "_" or "."
/// becomes "_", and it is cut off after 200 characters.
std::string file_name_of(std::string text);

}  // namespace starling
