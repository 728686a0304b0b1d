#include "analysis/reproduction/published_file.hpp"

#include <fmt/core.h>

#include <map>

#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// A range beyond all that is measured, in which relative errors stay printable. 0, to which there is no
/// relative error, is read apart.
constexpr Range measured_values{.least = 1e-9, .greatest = 1e18};
constexpr Range uncertainties{.least = 0, .greatest = 1e18};

json object_at(const ObjectReader& object, const std::string& key) {
  const JsonPlace place = object.at(key, "an object");
  if (!place.value().is_object()) place.fail("wrong type", "an object");
  return place.value();
}

json algorithm_at(const ObjectReader& object, const std::string& key) {
  json algorithm = object_at(object, key);
  const JsonPlace place = object.at(key);
  if (!algorithm.contains("kind"))
    throw ScenarioError({place.file(), place.pointer(), "key \"kind\" is missing", "", "a text"});
  place.inside("kind").text();
  return algorithm;
}

void read_cluster_of(const JsonPlace& place, PublishedEntry& entry) {
  ObjectReader object(place, {"id", "nodes", "workers_per_node", "gpu", "network"});
  entry.cluster = object.text("id");
  entry.nodes = object.optional_integer("nodes", {1, most_workers});
  entry.workers_per_node = object.optional_integer("workers_per_node", {1, most_workers});
}

/// A text that may be missing or empty, which JsonPlace::text() does not allow.
std::string text_or_empty(const ObjectReader& object, const std::string& key) {
  const auto place = object.find(key);
  if (!place) return "";
  if (!place->value().is_string()) place->fail("wrong type", "a text");
  return place->value().get<std::string>();
}

/// Checks the form of `uncertainty`, which is for people only: a number (plus or minus), or an interval.
void check_uncertainty(const ObjectReader& object) {
  const auto place = object.find("uncertainty");
  if (!place || place->value().is_null()) return;
  if (!place->value().is_array()) {
    if (!place->value().is_number())
      place->fail("wrong type", "a number (plus or minus) or an interval [least, greatest]");
    place->number(uncertainties);
    return;
  }
  const std::vector<JsonPlace> ends = place->elements();
  if (ends.size() != 2 || !(ends[0].number(uncertainties) <= ends[1].number(uncertainties)))
    place->fail("is not an interval", "[least, greatest]");
}

PublishedEntry read_entry(const JsonPlace& place) {
  ObjectReader object(place, {"id", "paper", "source", "grade", "cluster", "workload", "workers", "algorithm",
                              "metric", "value", "uncertainty", "baseline", "notes"});
  PublishedEntry entry;
  entry.id = object.text("id");
  entry.paper = object.text("paper");
  read_cluster_of(object.at("cluster", "an object"), entry);
  entry.workload = object_at(object, "workload");
  entry.workers = object.small_integer("workers", {1, most_workers});
  entry.algorithm = algorithm_at(object, "algorithm");
  if (object.has("baseline") && !object.at("baseline").value().is_null())
    entry.baseline = algorithm_at(object, "baseline");
  entry.metric = object.text("metric");
  const JsonPlace value = object.at("value", "a number, or null if it is unknown");
  if (!value.value().is_null()) entry.value = value.value() == 0 ? 0.0 : value.number(measured_values);
  check_uncertainty(object);
  entry.notes = text_or_empty(object, "notes");
  return entry;
}

}  // namespace

std::vector<PublishedEntry> read_published_file(const std::filesystem::path& file) {
  const json document = parse_json(read_text_file(file), file.string());
  const ObjectReader object(JsonPlace(document, file.string()),
                            {"description", "grades", "clusters", "entries", "context", "known_problems"});
  std::vector<PublishedEntry> entries;
  std::map<std::string, std::string> places;  // of ids
  for (const JsonPlace& place : object.at("entries", "a list of measurements").elements()) {
    entries.push_back(read_entry(place));
    const auto [first, is_new] = places.emplace(entries.back().id, place.pointer());
    if (!is_new)
      place.inside("id").fail(fmt::format("this id is taken by {}", first->second), "an id of its own");
  }
  validate_against_schema(document, "published", file.string());
  return entries;
}

}  // namespace starling
