#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace starling {

/// The words of a text, separated by blanks, tabs and line ends.
inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace starling
