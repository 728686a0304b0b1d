#include "io/scenario_error.hpp"

#include <doctest/doctest.h>

#include <string>

namespace starling {

namespace {

std::string text_of(const ScenarioError::Description& description) {
  return ScenarioError(description).what();
}

TEST_CASE("an error message says where, what is wrong, what was found and what is expected") {
  CHECK(text_of({"s.json", "/a/b", "out of range", "0", "1 to 9"}) ==
        "s.json: /a/b: out of range, got 0, expected 1 to 9");
}

TEST_CASE("an error message leaves out unknown parts") {
  CHECK(text_of({"s.json", "", "is empty", "", "an object"}) == "s.json: is empty, expected an object");
  CHECK(text_of({"s.json", "/a", "is missing", "", ""}) == "s.json: /a: is missing");
  CHECK(text_of({"s.json", "", "is odd", "3", ""}) == "s.json: is odd, got 3");
}

TEST_CASE("an error message shortens values of the user that are long, not its own text") {
  const std::string key(1'000'000, 'k');
  const ScenarioError error({"s.json", "/" + key, "unknown key", "", "one of \"a\""});
  CHECK(std::string(error.what()) ==
        "s.json: /" + std::string(199, 'k') + "…: unknown key, expected one of \"a\"");
  CHECK(error.description().place == "/" + key);
}

TEST_CASE("an error gives access to the parts of its message") {
  const ScenarioError error({"s.json", "/a", "out of range", "0", "1 to 9"});
  CHECK(error.description().place == "/a");
  CHECK(error.description().got == "0");
}

}  // namespace

}  // namespace starling
