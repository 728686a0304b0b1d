#include "io/pictures/text_lines.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace starling {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("lines end after a space, an underscore, a slash or a comma") {
  CHECK(lines_of("local_sgd/period 4,compressed", 12) == Lines{"local_sgd/", "period 4,", "compressed"});
  CHECK(lines_of("local_sgd/period 4,compressed", 9) ==
        Lines{"local_", "sgd/", "period 4,", "compresse", "d"});
  CHECK(lines_of("four five", 4) == Lines{"four", "five"});  // the space needs no room
  CHECK(lines_of("four five", 9) == Lines{"four five"});
  CHECK(lines_of("", 5) == Lines{""});
}

TEST_CASE("only a word that is longer than a line is cut, between letters") {
  CHECK(lines_of("a µµµµµµµ b", 5) == Lines{"a", "µµµµµ", "µµ b"});
  CHECK(width_of("µµ") == width_of("mm"));
}

}  // namespace
}  // namespace starling
