#include "io/json/schema.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "base/options/option_kinds.hpp"
#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "scenarios/description/scenario_schema.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"
#include "topologies/networks/network_options.hpp"
#include "workloads/imbalance/imbalance.hpp"
#include "workloads/learning/task_options.hpp"

namespace starling {

namespace {

using nlohmann::json;

const json& shipped_schema() {
  static const json schema = parse_json(schema_text("scenario"), "scenario.schema.json");
  return schema;
}

const json& resolved(const json& schema) {
  if (schema.contains("$ref")) {
    const std::string reference = schema.at("$ref").get<std::string>();
    return resolved(shipped_schema().at(json::json_pointer(reference.substr(1))));
  }
  return schema.contains("allOf") ? resolved(schema.at("allOf").at(0)) : schema;
}

/// The schemas that may apply to a value, without alternatives of other kinds.
std::vector<json> alternatives(const json& schema, const json& value) {
  const json& own = resolved(schema);
  std::vector<json> all;
  for (const char* keyword : {"oneOf", "anyOf"}) {
    if (!own.contains(keyword) || own.contains("properties")) continue;
    for (const json& alternative : own.at(keyword)) {
      for (const json& found : alternatives(alternative, value)) all.push_back(found);
    }
    return all;
  }
  const auto is_of_other = [&](const std::string& key) {
    return value.is_object() && value.contains(key) &&
           own.value(json::json_pointer("/properties/" + key + "/const"), value.at(key)) != value.at(key);
  };
  const bool is_other_kind = is_of_other("kind") || is_of_other("task");
  const bool is_other_type =
      own.value("type", value.is_array() ? "array" : "object") != (value.is_array() ? "array" : "object");
  if (!is_other_kind && !is_other_type) all.push_back(own);
  return all;
}

/// The keys that the schema allows in an object.
std::set<std::string> keys_of_schema(const json& schema, const json& object) {
  std::set<std::string> keys;
  for (const json& alternative : alternatives(schema, object)) {
    CHECK(alternative.at("additionalProperties") == false);
    for (const auto& property : alternative.at("properties").items()) keys.insert(property.key());
  }
  return keys;
}

/// The keys that the reader says it would accept where it meets one that it does not know.
std::set<std::string> keys_of_reader(json document, const json::json_pointer& place,
                                     const ScratchFolder& folder) {
  document[place]["?"] = 0;
  const auto file = folder.write("probe.json", document.dump());
  const std::string message = error_of(folder.path(), [&] { read_scenario(file); });
  const std::string start = "probe.json: " + place.to_string() + "/?: unknown key, expected ";
  REQUIRE(message.starts_with(start));
  std::set<std::string> keys;
  std::size_t quote = message.find('"', start.size());
  while (quote != std::string::npos) {
    const std::size_t end = message.find('"', quote + 1);
    keys.insert(message.substr(quote + 1, end - quote - 1));
    quote = message.find('"', end + 1);
  }
  return keys;
}

/// Compares reader and schema at every object of a document.
void compare_keys(const json& document, const json& schema, const json::json_pointer& place,
                  const ScratchFolder& folder) {
  const json& value = document.at(place);
  if (value.is_object()) {
    CAPTURE(place.to_string());
    CHECK(keys_of_reader(document, place, folder) == keys_of_schema(schema, value));
  }
  for (const json& alternative : alternatives(schema, value)) {
    if (value.is_array() && alternative.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i)
        compare_keys(document, alternative.at("items"), place / i, folder);
    }
    if (!value.is_object()) continue;
    for (const auto& [key, child] : value.items()) {
      if (child.is_structured() && alternative.at("properties").contains(key))
        compare_keys(document, alternative.at("properties").at(key), place / key, folder);
    }
  }
}

std::set<std::string> kinds_of_schema(const std::string& definition, const std::string& key = "kind") {
  std::set<std::string> kinds;
  for (const json& alternative : shipped_schema().at("definitions").at(definition).at("oneOf"))
    kinds.insert(alternative.at("properties").at(key).at("const").get<std::string>());
  return kinds;
}

template <typename Range>
std::set<std::string> set_of(const Range& range) {
  return {range.begin(), range.end()};
}

template <typename Variant>
std::set<std::string> names_of() {
  std::set<std::string> names;
  for (const Kind& kind : kinds_of<Variant>()) names.insert(kind.name);
  return names;
}

TEST_CASE("schema and reader know the same keys in every object") {
  const ScratchFolder folder;
  write_named_files(folder);
  for (const auto& changes : good_scenarios())
    compare_keys(changed_scenario(changes), shipped_schema(), json::json_pointer(), folder);
}

/// Compares a file of the data directory with the generated text; with STARLING_WRITE_GENERATED set, writes
/// it.
void check_generated(const std::string& name, const std::string& generated) {
  const auto file = data_directory() / "scenarios" / name;
  if (std::getenv("STARLING_WRITE_GENERATED") != nullptr) std::ofstream(file) << generated;
  const bool is_current = read_text_file(file) == generated;
  CHECK_MESSAGE(
      is_current, name,
      " is not what the options' descriptions say; with STARLING_WRITE_GENERATED=1 this test writes it");
}

TEST_CASE("the schema and the tables of the reference are those generated from the descriptions of options") {
  check_generated("schema/scenario.schema.json", scenario_schema_text());
  check_generated("reference.md",
                  with_option_tables(read_text_file(data_directory() / "scenarios/reference.md")));
}

TEST_CASE("schema and reader know the same kinds and choices") {
  CHECK(kinds_of_schema("network") == names_of<NetworkKind>());
  CHECK(kinds_of_schema("imbalance") == names_of<Imbalance>());
  CHECK(kinds_of_schema("algorithm") == set_of(algorithm_kinds()));
  CHECK(kinds_of_schema("learning", "task") == names_of<TaskOptions>());
  CHECK(set_of(shipped_schema().at(json::json_pointer("/properties/engine/enum"))) == set_of(engine_names()));
  std::set<std::string> collectives;
  for (const CollectiveKind kind : collective_kinds()) collectives.emplace(name_of(kind));
  CHECK(set_of(shipped_schema().at(
            json::json_pointer("/definitions/algorithm/oneOf/0/properties/collective/enum"))) == collectives);
}

/// Checks that the text of a file has every kind and every key of the schema, between two marks.
void check_mentions_all(const std::string& file, const std::string& text, char mark) {
  const auto mentions = [&](const std::string& word) {
    return text.find(mark + word + mark) != std::string::npos;
  };
  for (const std::string definition : {"network", "imbalance", "algorithm"}) {
    for (const std::string& kind : kinds_of_schema(definition))
      CHECK_MESSAGE(mentions(kind), kind, " is missing in ", file);
  }
  for (const json& definition : shipped_schema().at("definitions")) {
    const json own = definition.value("oneOf", json::array({definition}));
    for (const json& alternative : own) {
      const json properties = alternative.value("properties", json::object());
      for (const auto& property : properties.items())
        CHECK_MESSAGE(mentions(property.key()), property.key(), " is missing in ", file);
    }
  }
}

TEST_CASE("good scenarios have every kind and every key of the schema") {
  std::string all;
  for (const auto& changes : good_scenarios()) all += changed_scenario(changes).dump();
  check_mentions_all("tests/scenarios/reading/good_scenarios.cpp", all, '"');
}

TEST_CASE("the reference explains every kind and every key of the schema") {
  std::string reference = read_text_file(data_directory() / "scenarios" / "reference.md");
  std::replace(reference.begin(), reference.end(), '"', '`');
  check_mentions_all("scenarios/reference.md", reference, '`');
}

TEST_CASE("the schema accepts good scenarios and what was read of them") {
  const ScratchFolder folder;
  write_named_files(folder);
  for (const auto& changes : good_scenarios()) {
    const json document = changed_scenario(changes);
    CAPTURE(document.dump());
    CHECK(error_of("", [&] { validate_against_schema(document, "scenario", "good.json"); }) == "no error");
    const Scenario scenario = read_scenario(folder.write("good.json", document.dump()));
    const json as_read = parse_json(scenario.as_read.dump(), "as read");
    CHECK(error_of("", [&] { validate_against_schema(as_read, "scenario", "read.json"); }) == "no error");
  }
}

TEST_CASE("the defaults of algorithms in the schema are those that the reader fills in") {
  const ScratchFolder folder;
  for (const json& alternative : shipped_schema().at("definitions").at("algorithm").at("oneOf")) {
    const json& properties = alternative.at("properties");
    json document = changed_scenario({});
    document["algorithms"] = json::array({{{"kind", properties.at("kind").at("const")}}});
    const auto as_read =
        read_scenario(folder.write("minimal.json", document.dump())).as_read["algorithms"][0];
    for (const auto& [key, property] : properties.items()) {
      if (key == "kind" || key == "label") continue;
      CAPTURE(key);
      CHECK(as_read.contains(key) == property.contains("default"));
      if (as_read.contains(key)) CHECK(as_read.at(key).get<json>() == property.at("default"));
    }
  }
}

TEST_CASE("the defaults of a scenario in the schema are those that the reader fills in") {
  const ScratchFolder folder;
  const auto as_read_for = [&](const std::string& engine) {
    const json document =
        changed_scenario({"remove /iterations", "remove /warmup_iterations", "/engine=" + engine});
    return parse_json(read_scenario(folder.write("s.json", document.dump())).as_read.dump(), "as read");
  };
  const json as_read = as_read_for("simgrid");
  const auto compare = [](const json& read, const json& properties) {
    for (const auto& [key, property] : properties.items()) {
      if (key == "engine" || !property.contains("default")) continue;
      CAPTURE(key);
      CHECK(read.at(key) == property.at("default"));
    }
  };
  compare(as_read, shipped_schema().at("properties"));
  compare(as_read.at("cluster"), shipped_schema().at("definitions").at("cluster").at("properties"));
  compare(as_read.at("simgrid"), shipped_schema().at("definitions").at("simgrid").at("properties"));
  compare(as_read_for("fair").at("fair"), shipped_schema().at("definitions").at("fair").at("properties"));
  compare(as_read_for("tcp").at("cluster").at("tcp"),
          shipped_schema().at("definitions").at("tcp").at("properties"));
}

TEST_CASE("the defaults of learning in the schema are those that the reader fills in") {
  const ScratchFolder folder;
  const json& definitions = shipped_schema().at("definitions");
  const auto as_read = [&](const json& learning) {
    json document = changed_scenario({});
    document["learning"] = learning;
    return parse_json(read_scenario(folder.write("s.json", document.dump())).as_read.dump(), "as read")
        .at("learning");
  };
  const auto compare = [](const json& read, const json& alternative) {
    for (const auto& [key, property] : alternative.at("properties").items()) {
      if (!property.contains("default")) continue;
      CAPTURE(key);
      CHECK(read.at(key) == property.at("default"));
    }
  };
  for (const json& alternative : definitions.at("learning").at("oneOf")) {
    json learning = {{"learning_rate", 0.1}};
    learning["task"] = alternative.at("properties").at("task").at("const");
    if (alternative.at("properties").contains("hidden")) learning["hidden"] = {3};
    if (alternative.at("properties").contains("data")) learning["data"] = {{"kind", "generated"}};
    const json read = as_read(learning);
    compare(read, alternative);
    CHECK(read.at("evaluate_every") == 1);  // a fiftieth of 4 iterations, rounded up
    if (learning["task"] == "hyperplane") CHECK(read.at("batch_size") == 2048 / 8);
    if (read.contains("data")) compare(read.at("data"), definitions.at("data").at("oneOf").at(0));
  }
  const auto optimizer_as_read = [&](const json& optimizer) {
    return as_read({{"task", "quadratic"}, {"learning_rate", 0.1}, {"optimizer", optimizer}}).at("optimizer");
  };
  const json& alternatives = definitions.at("optimizer").at("oneOf");
  std::vector<std::string> kinds;
  for (std::size_t i = 1; i < alternatives.size(); ++i) {
    kinds.push_back(alternatives[i].at("properties").at("kind").at("const"));
    const json read = optimizer_as_read({{"kind", kinds.back()}});
    compare(read, alternatives[i]);
    CHECK(optimizer_as_read(kinds.back()) == read);
  }
  CHECK(alternatives[0].at("enum") == kinds);
}

TEST_CASE("a violation is told with its place") {
  CHECK(error_of("",
                 [&] {
                   validate_against_schema(changed_scenario({"/cluster/workers=0"}), "scenario", "s.json");
                 }) ==
        "s.json: /cluster/workers: does not meet the schema: Expected number greater than or equal to "
        "1.000000");
}

TEST_CASE("every schema that comes with Starling is JSON and of draft 7") {
  for (const char* name : {"scenario", "result", "model", "profile", "distribution"}) {
    CAPTURE(name);
    CHECK(parse_json(schema_text(name), name).at("$schema") == "http://json-schema.org/draft-07/schema#");
  }
}

TEST_CASE("a schema that is not there is an error") {
  CHECK(error_of(data_directory(), [] { (void)schema_text("nothing"); }) ==
        "scenarios/schema/nothing.schema.json: cannot be read (No such file or directory)");
}

}  // namespace

}  // namespace starling
