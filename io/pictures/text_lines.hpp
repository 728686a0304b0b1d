#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

// About the size of letters, rather more than less, for nobody knows the font.
inline constexpr double letter_in = 0.085;
inline constexpr double line_in = 0.22;

/// How wide a text is in one line, in inches.
double width_of(std::string_view text);

/// A text cut into lines of at most so many letters: after a space, "_", "/" or ",", and within a word only
/// if that has more.
std::vector<std::string> lines_of(std::string_view text, std::size_t letters);

}  // namespace starling
