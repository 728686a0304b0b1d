#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

// Estimates of the size of letters; on the large side, as the font is unknown.
inline constexpr double letter_in = 0.085;
inline constexpr double line_in = 0.22;

/// The estimated width of a text on one line, in inches.
double width_of(std::string_view text);

/// A text broken into lines of at most `letters` letters: after a space, "_", "/" or ",", and inside a word
/// only if that is longer than a line.
std::vector<std::string> lines_of(std::string_view text, std::size_t letters);

}  // namespace starling
