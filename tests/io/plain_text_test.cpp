#include "base/texts/plain_text.hpp"

#include <doctest/doctest.h>

namespace starling {
namespace {

TEST_CASE("blanks, tabs and line ends around a text are removed, and those inside stay") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \t\r\n").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("ASCII control characters are recognized in text of any language") {
  CHECK(has_control_bytes("a\tb"));
  CHECK(has_control_bytes("a\x1b"));
  CHECK(has_control_bytes("\x7f"));
  CHECK_FALSE(has_control_bytes("größer, 大"));
  CHECK_FALSE(has_control_bytes(""));
}

}  // namespace
}  // namespace starling
