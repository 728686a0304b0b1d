#pragma once

#include <string>
#include <string_view>

namespace starling {

/// A text that can be drawn, and the characters that were replaced.
struct DrawableText {
  std::string text;
  std::string replaced;  // the characters replaced by "?", each once
};

/// Replaces every character that no font has by "?". `charsets` has a line for each font, as fontconfig
/// writes it: "20-7e a0 1ab-1b9". ASCII is always kept.
DrawableText drawable_text(std::string_view text, std::string_view charsets);

}  // namespace starling
