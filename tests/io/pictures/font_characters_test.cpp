#include "io/pictures/font_characters.hpp"

#include <doctest/doctest.h>

#include <string>

namespace starling {
namespace {

TEST_CASE("characters that no font has become question marks, and are reported once") {
  constexpr const char* charsets = "20-7e a0-ff\n20-7e 391-3a9 20ac\n\n1f600-1f64f";
  const DrawableText had = drawable_text("set label 'ÿ Ω € 😀'\n", charsets);
  CHECK(had.text == "set label 'ÿ Ω € 😀'\n");
  CHECK(had.replaced == "");
  const DrawableText not_had = drawable_text("Ünï 漢字, 漢 Ĳ ₭ 😐😏🙐", charsets);
  CHECK(not_had.text == "Ünï ??, ? ? ? 😐😏?");
  CHECK(not_had.replaced == "漢字Ĳ₭🙐");
}

TEST_CASE("ASCII is drawn whatever fonts exist, and text that is not UTF-8 is not") {
  CHECK(drawable_text("a\tb\x7f\n", "").text == "a\tb\x7f\n");
  CHECK(drawable_text("", "20-7e").text == "");
  CHECK(drawable_text("a\xff\xbf"
                      "b",
                      "20-7e")
            .text == "a?b");
}

TEST_CASE("a byte followed by any number of continuation bytes is one question mark") {
  for (const std::size_t count : {4U, 31U, 32U, 100U})
    CHECK(drawable_text("\xf0" + std::string(count, '\x80') + "b", "0-7fffffff").text == "?b");
}

}  // namespace
}  // namespace starling
