#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace starling {

/// What stands between blanks, tabs and line ends.
inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace starling
