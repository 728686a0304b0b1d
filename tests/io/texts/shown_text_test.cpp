#include "io/texts/shown_text.hpp"

#include <doctest/doctest.h>

#include <string>

namespace starling {
namespace {

TEST_CASE("control characters are shown as their bytes, everything else unchanged") {
  CHECK(printable("a\tb\nc é 字 🐦") == "a\tb\nc é 字 🐦");
  CHECK(printable("\x1b[31mred\r\x7f") == "\\x1b[31mred\\x0d\\x7f");
  CHECK(printable(std::string("nul\0!", 5)) == "nul\\x00!");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");
}

TEST_CASE("JSON stays valid where control characters are in its strings") {
  CHECK(printable_json("{\n  \"é\": \"a\xc2\x85\x62\x7f\"\n}") == "{\n  \"é\": \"a\\u0085b\\u007f\"\n}");
}

TEST_CASE("text that is not UTF-8 is shown as its bytes") {
  CHECK(printable("\x9b"
                  "31m") == "\\x9b31m");
  CHECK(printable("caf\xe9") == "caf\\xe9");
  CHECK(printable("\xe5\xad") == "\\xe5\\xad");
  CHECK(printable("\xff\xc0\x9b") == "\\xff\\xc0\\x9b");
}

TEST_CASE("valid UTF-8 is recognized") {
  for (const char* text : {"", "abc", "é 字 🐦", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf_8(text));
  for (const char* text : {"\xff", "caf\xe9", "\xe5\xad", "\x80", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    CHECK_FALSE(is_utf_8(text));
}

TEST_CASE("a long text is cut at the end of a character") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc…");
  CHECK(shortened("aéz", 2) == "a…");
}

}  // namespace
}  // namespace starling
