#include "io/version.hpp"

#include <doctest/doctest.h>

#include <string>

namespace starling {
namespace {

TEST_CASE("a build's name is its version and what the linker calls it") {
  const std::string begin = std::string(version()) + " ";
  CHECK(build().starts_with(begin));
  const std::string id = build().substr(begin.size());
  CHECK(id.size() == 40);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
}

}  // namespace
}  // namespace starling
