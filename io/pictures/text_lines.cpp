#include "io/pictures/text_lines.hpp"

#include <algorithm>

#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

std::string_view without_spaces_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The text up to and including the first character after which a line may break.
std::string_view first_word(std::string_view text) {
  const std::size_t end = text.find_first_of(" _/,");
  return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

}  // namespace

double width_of(std::string_view text) { return letter_in * static_cast<double>(letters_in(text)); }

std::vector<std::string> lines_of(std::string_view text, std::size_t letters) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    std::string_view piece = first_word(text);
    const std::size_t needed = letters_in(without_spaces_at_end(piece));
    if (needed > letters) piece = first_letters(piece, letters);
    if (!lines.back().empty() && letters_in(lines.back()) + std::min(needed, letters) > letters)
      lines.emplace_back();
    lines.back() += piece;
    text.remove_prefix(piece.size());
  }
  for (std::string& line : lines) line = without_spaces_at_end(line);
  return lines;
}

}  // namespace starling
