#include "io/json/json_reader.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/errors.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

using nlohmann::json;

JsonPlace place_of(const json& document) { return JsonPlace(document, "f.json", "/at"); }

TEST_CASE("a range tells what it contains in words") {
  CHECK(Range{}.text().empty());
  CHECK(Range{.least = 0}.text() == "at least 0");
  CHECK(Range::above(0).text() == "greater than 0");
  CHECK(Range{.greatest = 5}.text() == "at most 5");
  CHECK(Range{.least = 0, .greatest = 1}.text() == "from 0 to 1");
  CHECK(Range{.least = 0, .greatest = 1, .excludes_least = true}.text() == "greater than 0 and at most 1");
  CHECK(Range{.least = 0, .greatest = 1, .excludes_greatest = true}.text() == "at least 0 and less than 1");
  CHECK(IntegerRange{.least = 1, .greatest = 10}.text() == "from 1 to 10");
  CHECK(IntegerRange{.least = 1}.text() == "at least 1");
}

TEST_CASE("a range contains its bounds unless they are excluded, and never what is not a number") {
  CHECK(Range{.least = 0}.contains(0));
  CHECK(!Range{.least = 0}.contains(-1e-300));
  CHECK(!Range::above(0).contains(0));
  CHECK(Range{.greatest = 5}.contains(5));
  CHECK(!Range{.greatest = 5, .excludes_greatest = true}.contains(5));
  CHECK(!Range{}.contains(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("an error shows a value as JSON, cut where it is long") {
  CHECK(shown(json(5)) == "5");
  CHECK(shown(json("a\"b")) == R"("a\"b")");
  CHECK(shown(json::object({{"a", {1, 2}}})) == R"({"a":[1,2]})");
  CHECK(shown(json(std::string(100, 'x'))) == "\"" + std::string(59, 'x') + "…");
  CHECK(shown(json(std::string(58, 'x') + "éé")) ==
        "\"" + std::string(58, 'x') + "…");          // not half a character
  CHECK(shown(json("\xff")) == "\"\xef\xbf\xbd\"");  // not UTF-8
}

TEST_CASE("an error lists one accepted choice, or several") {
  CHECK(one_of({"a"}) == "\"a\"");
  CHECK(one_of({"a", "b"}) == "one of \"a\", \"b\"");
}

TEST_CASE("the normal form of an object holds the values read, in the order of reading") {
  const json document = {{"time", "5us"}, {"count", 3}};
  ObjectReader object(place_of(document), {"count", "flag", "time", "other"});
  CHECK(object.integer("count", {}) == 3);
  CHECK(object.boolean("flag", true));
  CHECK(object.quantity("time", Dimension::time, {}) == 5e-6);
  CHECK(!object.optional_number("other", {}));
  CHECK(object.as_read().dump() == R"({"count":3,"flag":true,"time":5e-06})");
}

TEST_CASE("the first unknown key is an error before anything is read") {
  const json document = {{"cuont", 3}};
  CHECK(error_of("", [&] { ObjectReader(place_of(document), {"count"}); }) ==
        "f.json: /at/cuont: unknown key (did you mean \"count\"?), expected \"count\"");
}

TEST_CASE("reading a key that was not announced is a broken invariant") {
  const json document = json::object();
  const ObjectReader object(place_of(document), {"count"});
  CHECK_THROWS_AS(object.has("cuont"), InvariantError);
}

TEST_CASE("integers of any size are read or rejected, not wrapped") {
  const auto error = [](const json& value) {
    return error_of("", [&] { place_of(value).integer({1, 10}); });
  };
  const std::string expected = ", expected an integer from 1 to 10";
  CHECK(error(json(10)) == "no error");
  CHECK(error(json(11)) == "f.json: /at: out of range, got 11" + expected);
  CHECK(error(json(std::numeric_limits<std::int64_t>::min())) ==
        "f.json: /at: out of range, got -9223372036854775808" + expected);
  CHECK(error(json(std::numeric_limits<std::uint64_t>::max())) ==
        "f.json: /at: out of range, got 18446744073709551615" + expected);
  CHECK(error(json(1e300)) == "f.json: /at: out of range, got 1e+300" + expected);
  CHECK(error(json(5.0)) == "f.json: /at: wrong type, got 5.0" + expected);
  CHECK(error(json(true)) == "f.json: /at: wrong type, got true" + expected);
}

}  // namespace

}  // namespace starling
