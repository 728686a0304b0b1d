#pragma once

#include <string>

namespace starling {

/// A text as a part of a file's name that every system accepts: every byte that is no ASCII letter, digit,
/// "-", "_" or "." becomes "_", and the text is cut off after 200 bytes.
std::string file_name_of(std::string text);

}  // namespace starling
