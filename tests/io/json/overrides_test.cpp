#include "io/json/overrides.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

using nlohmann::json;

json changed(json document, const std::string& option) {
  apply_override(document, parse_override(option));
  return document;
}

std::string error(const json& document, const std::string& option) {
  return error_of("", [&] { (void)changed(document, option); });
}

TEST_CASE("the value of an override is JSON, or else a text") {
  CHECK(changed(json::object(), "/a=5") == json({{"a", 5}}));
  CHECK(changed(json::object(), "/a=1e-6") == json({{"a", 1e-6}}));
  CHECK(changed(json::object(), "/a=true") == json({{"a", true}}));
  CHECK(changed(json::object(), "/a=null") == json({{"a", nullptr}}));
  CHECK(changed(json::object(), "/a=[1, 2]") == json({{"a", {1, 2}}}));
  CHECK(changed(json::object(), R"(/a={"b": 1})") == json({{"a", {{"b", 1}}}}));
  CHECK(changed(json::object(), R"(/a="5")") == json({{"a", "5"}}));
  CHECK(changed(json::object(), "/a=5us") == json({{"a", "5us"}}));
  CHECK(changed(json::object(), "/a=ring") == json({{"a", "ring"}}));
  CHECK(changed(json::object(), "/a=") == json({{"a", ""}}));
  CHECK(changed(json::object(), "/a=b=c") == json({{"a", "b=c"}}));
  CHECK(changed(json::object(), "/a=1e999") == json({{"a", "1e999"}}));
}

TEST_CASE("an override replaces a value, and creates missing keys") {
  CHECK(changed(json{{"a", {{"b", 1}, {"c", 2}}}}, "/a/b=3") == json({{"a", {{"b", 3}, {"c", 2}}}}));
  CHECK(changed(json::object(), "/a/b/c=3") == json({{"a", {{"b", {{"c", 3}}}}}}));
  CHECK(changed(json{{"a", {{"b", 1}}}}, "/a=3") == json({{"a", 3}}));
}

TEST_CASE("an override numbers the elements of a list, and - appends one") {
  const json document = {{"a", {1, 2}}};
  CHECK(changed(document, "/a/0=3") == json({{"a", {3, 2}}}));
  CHECK(changed(document, "/a/1=3") == json({{"a", {1, 3}}}));
  CHECK(changed(document, "/a/-=3") == json({{"a", {1, 2, 3}}}));
  CHECK(changed(document, "/a/-/kind=ddp")["a"][2] == json({{"kind", "ddp"}}));
}

TEST_CASE("an override of a list element that is not there is an error") {
  const json document = {{"a", {1, 2}}, {"b", json::array()}};
  CHECK(error(document, "/a/2=3") ==
        "--set /a/2=3: /a: no such element of the list, got 2, expected 0 to 1, or - to append one");
  CHECK(error(document, "/a/-1=3") ==
        "--set /a/-1=3: /a: no such element of the list, got -1, expected 0 to 1, or - to append one");
  CHECK(error(document, "/a/x=3") ==
        "--set /a/x=3: /a: no such element of the list, got x, expected 0 to 1, or - to append one");
  CHECK(error(document, "/a/01=3") ==
        "--set /a/01=3: /a: no such element of the list, got 01, expected 0 to 1, or - to append one");
  CHECK(error(document, "/b/0=3") ==
        "--set /b/0=3: /b: no such element of the list, got 0, expected - to append one");
}

TEST_CASE("an override cannot lead into a value without keys") {
  CHECK(error(json{{"a", "star"}}, "/a/kind=ring") ==
        "--set /a/kind=ring: /a: has no keys, got \"star\", expected an object or a list");
}

TEST_CASE("keys in the pointer of an override may contain escaped slashes and tildes") {
  CHECK(changed(json::object(), "/a~1b=1") == json({{"a/b", 1}}));
  CHECK(changed(json::object(), "/a~0b=1") == json({{"a~b", 1}}));
  CHECK(changed(json::object(), "/a~01=1") == json({{"a~1", 1}}));
  CHECK(error(json::object(), "/a~2=1") ==
        "--set /a~2=1: not a JSON pointer, expected ~0 for ~ and ~1 for / in keys");
  CHECK(error(json::object(), "/a~=1") ==
        "--set /a~=1: not a JSON pointer, expected ~0 for ~ and ~1 for / in keys");
}

TEST_CASE("an override that is not pointer=value is an error that names the option") {
  CHECK(error(json::object(), "workers=4") ==
        "--set workers=4: not an override, expected /json/pointer=VALUE");
  CHECK(error(json::object(), "/workers") == "--set /workers: not an override, expected /json/pointer=VALUE");
  CHECK(error(json::object(), "") == "--set : not an override, expected /json/pointer=VALUE");
  CHECK(error(json::object(), "=4") == "--set =4: not an override, expected /json/pointer=VALUE");
}

TEST_CASE("an override cannot nest beyond the limit") {
  std::string deep;
  for (int i = 0; i < 101; ++i) deep += "/a";
  CHECK(error(json::object(), deep + "=1").ends_with("nested too deeply, expected at most 100 levels"));
  const std::string value = std::string(101, '[') + std::string(101, ']');
  CHECK(error(json::object(), "/a=" + value).ends_with("nested too deeply, expected at most 100 levels"));
}

TEST_CASE("an override concerns a pointer that leads into what it changed") {
  const Override change = parse_override("/cluster/network=x");
  CHECK(concerns(change, "/cluster/network"));
  CHECK(concerns(change, "/cluster/network/kind"));
  CHECK(!concerns(change, "/cluster"));
  CHECK(!concerns(change, "/cluster/networks"));
  CHECK(!concerns(change, ""));
}

TEST_CASE("an override that appends concerns the element that it appended") {
  json document = json::parse(R"({"list": [{"-": [1]}, 2]})");
  const Override into_it = apply_override(document, parse_override("/list/0/-/-=3"));
  const Override appends = apply_override(document, parse_override("/list/-/kind=x"));
  CHECK(document == json::parse(R"({"list": [{"-": [1, 3]}, 2, {"kind": "x"}]})"));
  CHECK(concerns(into_it, "/list/0/-/1"));
  CHECK(concerns(appends, "/list/2/kind"));
  CHECK(!concerns(appends, "/list/1/kind"));
  CHECK(name_of(appends) == "--set /list/-/kind=x");
}

}  // namespace

}  // namespace starling
