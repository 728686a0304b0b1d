#pragma once

#include <string>
#include <string_view>

namespace starling {

/// A text for a picture, and what of it cannot be drawn.
struct DrawableText {
  std::string text;
  std::string replaced;  // the characters in whose place "?" stands, each once
};

/// What of a text some font has. `charsets` are those of the fonts, a line each, as fontconfig writes them:
/// "20-7e a0 1ab-1b9". ASCII is always had.
DrawableText drawable_text(std::string_view text, std::string_view charsets);

}  // namespace starling
