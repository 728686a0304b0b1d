#include "io/options/reader.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <variant>

#include "base/options/option_kinds.hpp"
#include "io/json/json_text.hpp"
#include "io/options/schema.hpp"
#include "io/options/table.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

using nlohmann::json;

/// A means of travel, whose kind follows from its keys.
struct Walk {
  static constexpr std::string_view name = "walk";
  static constexpr std::string_view summary = "on foot";
  double pace_s = 0;
  int dogs = 0;
};

struct Ride {
  static constexpr std::string_view name = "ride";
  static constexpr std::string_view summary = "on wheels";
  std::vector<int> lines = {};
};

struct Trip {
  std::variant<Walk, Ride> way = {};
  std::optional<std::string> by_name = {};
  std::optional<int> by_number = {};
  std::vector<std::string> ends = {};
};

void describe(Walk& walk, OptionVisitor& visitor) {
  visitor.time({.key = "pace", .meaning = "of a step", .is_needed = true}, walk.pace_s);
  visitor.integer({"dogs", "that come along"}, walk.dogs);
}

void describe(Ride& ride, OptionVisitor& visitor) {
  visitor.integers({.key = "lines", .meaning = "to change between", .is_needed = true}, ride.lines, {1, 99},
                   {.least = 1, .noun = "lines", .unique = "line"});
}

void describe(Trip& trip, OptionVisitor& visitor) {
  Kinds ways = kinds_of(trip.way, "ways to go");
  ways.key = "";
  ways.missing = "goes nowhere";
  ways.expected = "\"pace\", or \"lines\"";
  visitor.kind(ways);
  visitor.text({"by_name", "who", "absent"}, trip.by_name);
  visitor.integer({"by_number", "who", "absent"}, trip.by_number);
  visitor.texts({"ends", "from and to", "absent"}, trip.ends,
                {.least = 2, .greatest = 2, .problem = "no two ends", .wanted = "two names"});
  visitor.exactly_one({"by_name", "by_number", "ends"}, "must say who");
  visitor.include({"file", "one whose `trip` holds the other keys", "absent"}, "trip", {"notes"});
  visitor.check("by_number", [&] {
    if (trip.by_number == 13) throw std::invalid_argument("13 is nobody's number");
  });
  visitor.warning("by_number",
                  [&] { return trip.by_number == 7 ? std::string("7 is a child's number") : std::string(); });
}

json read(Trip& trip, const json& document, const std::string& file = "trip.json") {
  return json::parse(read_options(JsonPlace(document, file), [&](OptionVisitor& visitor) {
                       describe(trip, visitor);
                     }).dump());
}

std::string error(const std::string& text) {
  Trip trip;
  return error_of("", [&] { read(trip, json::parse(text)); });
}

TEST_CASE("kinds without a key of their own are recognized by the keys present") {
  Trip trip;
  CHECK(read(trip, {{"pace", "500ms"}, {"by_name", "Ann"}}) ==
        json{{"pace", 0.5}, {"dogs", 0}, {"by_name", "Ann"}});
  CHECK(std::get<Walk>(trip.way).pace_s == 0.5);
  Trip other;
  CHECK(read(other, {{"lines", {7, 3}}, {"by_number", 4}}) == json{{"lines", {7, 3}}, {"by_number", 4}});
  CHECK(std::get<Ride>(other.way).lines == std::vector{7, 3});
}

TEST_CASE("warnings are told with their place, and the values are used") {
  const auto warnings_of = [](int number) {
    const json document = {{"pace", 1}, {"by_number", number}};
    Trip trip;
    std::vector<std::string> warnings;
    read_options(JsonPlace(document, "trip.json", "/trips/0"),
                 [&](OptionVisitor& visitor) { describe(trip, visitor); }, {.warnings = &warnings});
    CHECK(trip.by_number == number);
    return warnings;
  };
  CHECK(warnings_of(7) == std::vector<std::string>{"trip.json: /trips/0/by_number: 7 is a child's number"});
  CHECK(warnings_of(8).empty());
}

TEST_CASE("an object with keys of two kinds, of none or of an unknown one is refused") {
  CHECK(error(R"({"pace": 1, "lines": [1]})") ==
        R"(trip.json: mixes ways to go, got {"lines":[1],"pace":1}, expected "pace", or "lines")");
  CHECK(error(R"({"by_number": 1})") ==
        R"(trip.json: goes nowhere, got {"by_number":1}, expected "pace", or "lines")");
  CHECK(error(R"({"dogs": 1, "by_number": 1})").starts_with(R"(trip.json: key "pace" is missing)"));
  CHECK(error(R"({"line": [1]})").starts_with(R"(trip.json: /line: unknown key (did you mean "lines"?))"));
}

TEST_CASE("lists may hold each element once, and have one right length") {
  CHECK(error(R"({"lines": [4, 5, 4], "by_number": 1})") ==
        "trip.json: /lines/2: this line appears twice, got 4, expected each line once");
  CHECK(error(R"({"lines": [], "by_number": 1})").starts_with("trip.json: /lines: too short"));
  CHECK(error(R"({"pace": 1, "ends": ["a"]})") ==
        R"(trip.json: /ends: no two ends, got ["a"], expected two names)");
  CHECK(error(R"({"pace": 1, "ends": ["a", "b", "c"]})").starts_with("trip.json: /ends: no two ends"));
  CHECK(error(R"({"pace": 1, "ends": ["a", 2]})").starts_with("trip.json: /ends/1: wrong type"));
}

TEST_CASE("of three keys exactly one must be there") {
  CHECK(error(R"({"pace": 1})") ==
        "trip.json: must say who, got {\"pace\":1}, "
        "expected exactly one of \"by_name\", \"by_number\" and \"ends\"");
  CHECK(error(R"({"pace": 1, "by_name": "a", "ends": ["a", "b"]})").starts_with("trip.json: must say who"));
}

TEST_CASE("an error thrown by a function that reads a value is an error of its key") {
  CHECK(error(R"({"pace": 1, "by_number": 13})") == "trip.json: /by_number: 13 is nobody's number");
}

TEST_CASE("an object takes keys over from a file, whose errors name the file") {
  const ScratchFolder folder;
  folder.write("walk.json", R"({"trip": {"pace": 2, "by_number": 5}, "notes": {}})");
  const auto of = [&](const json& document) {
    Trip trip;
    read(trip, document, (folder.path() / "trip.json").string());
    return trip;
  };
  const Trip trip = of({{"file", "walk.json"}, {"by_number", 6}});
  CHECK(std::get<Walk>(trip.way).pace_s == 2);
  CHECK(trip.by_number == 6);  // what is given here counts

  const auto error_in = [&](const std::string& text) {
    folder.write("walk.json", text);
    return error_of(folder.path(), [&] { of({{"file", "walk.json"}}); });
  };
  CHECK(error_in(R"({"trip": {"pace": -2, "by_number": 5}})").starts_with("walk.json: /pace: out of range"));
  CHECK(error_in(R"({"trip": {"file": "other.json"}})") ==
        "walk.json: /trip/file: an included trip cannot include another");
  CHECK(error_in(R"({"trip": 4})").starts_with("walk.json: /trip: wrong type"));
  CHECK(error_in(R"({"rip": {}})").starts_with(R"(walk.json: /rip: unknown key (did you mean "trip"?))"));
}

TEST_CASE("schema and table of an object know its forms and its conditions") {
  Trip trip;
  nlohmann::ordered_json definitions;
  const auto describe_trip = [&](OptionVisitor& visitor) { describe(trip, visitor); };
  const auto schema = option_schema(describe_trip, definitions);
  REQUIRE(schema.at("oneOf").size() == 2);
  const auto& walk = schema.at("oneOf").at(0);
  CHECK_FALSE(walk.at("properties").contains("lines"));
  CHECK(walk.at("oneOf").size() == 3);  // who
  CHECK(walk.at("anyOf").at(0).at("required") == nlohmann::ordered_json::array({"file"}));
  CHECK(walk.at("anyOf").at(1).at("required") == nlohmann::ordered_json::array({"pace"}));
  const auto& lines = schema.at("oneOf").at(1).at("properties").at("lines");
  CHECK(lines.at("uniqueItems") == true);
  CHECK(
      option_table(describe_trip).find("| `walk` | | | | on foot |\n| | `pace` | time |  | of a step |\n") !=
      std::string::npos);
}

}  // namespace

}  // namespace starling
