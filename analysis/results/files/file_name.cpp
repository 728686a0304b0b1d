#include "analysis/results/files/file_name.hpp"

#include <algorithm>
#include <string_view>

namespace starling {

std::string file_name_of(std::string text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  constexpr std::size_t longest = 200;
  std::replace_if(
      text.begin(), text.end(),
      [&](char character) { return harmless.find(character) == std::string_view::npos; }, '_');
  return text.substr(0, longest);
}

}  // namespace starling
