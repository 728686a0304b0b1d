#include "analysis/studies/study_reader.hpp"

#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "io/json/input_file.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr int most_seeds = 1'000'000;

void check_pointer(const JsonPlace& place, const std::string& pointer) {
  if (!pointer.starts_with('/'))
    place.fail(fmt::format("\"{}\" is not a JSON pointer", pointer), "one such as /cluster/workers");
}

const json& value_in(const JsonPlace& place) {
  if (place.value().is_null()) place.fail("no value", "a value of the scenario");
  return place.value();
}

/// An axis given as an object of lists of equal length: their i-th values are point i.
SweepAxis zipped_axis(const JsonPlace& place) {
  SweepAxis axis{.pointers = {}, .points = {}, .place = place_of(place)};
  for (const auto& [pointer, values] : place.value().items()) {
    check_pointer(place, pointer);
    axis.pointers.push_back(pointer);
    const auto elements = JsonPlace(values, place.file(), pointer_to(place.pointer(), pointer)).elements(1);
    if (axis.pointers.size() == 1) axis.points.resize(elements.size());
    if (elements.size() != axis.points.size())
      place.fail(fmt::format("lists of one axis have {} and {} values", axis.points.size(), elements.size()),
                 "lists of equal length, or an axis for each");
    for (std::size_t i = 0; i < elements.size(); ++i) axis.points[i].push_back(value_in(elements[i]));
  }
  if (axis.pointers.empty()) place.fail("is empty", "JSON pointers with lists of values");
  return axis;
}

/// An axis given as a list of objects with the same pointers, each object a point.
SweepAxis linked_axis(const JsonPlace& place) {
  SweepAxis axis{.pointers = {}, .points = {}, .place = place_of(place)};
  for (const JsonPlace& point : place.elements(1)) {
    if (!point.value().is_object()) point.fail("wrong type", "an object of JSON pointers and values");
    std::vector<std::string> pointers;
    std::vector<json> values;
    for (const auto& [pointer, value] : point.value().items()) {
      check_pointer(point, pointer);
      pointers.push_back(pointer);
      values.push_back(value_in(JsonPlace(value, point.file(), pointer_to(point.pointer(), pointer))));
    }
    if (pointers.empty()) point.fail("is empty", "JSON pointers with values");
    if (!axis.points.empty() && pointers != axis.pointers)
      point.fail("has different pointers than the point before",
                 fmt::format("{}", fmt::join(axis.pointers, ", ")));
    axis.pointers = pointers;
    axis.points.push_back(std::move(values));
  }
  return axis;
}

SweepFilter read_filter(const JsonPlace& place) {
  ObjectReader object(place, {"when", "reason"});
  SweepFilter filter{.when = {}, .reason = object.text("reason")};
  const JsonPlace when = object.at("when", "JSON pointers with values");
  filter.place = place_of(when);
  if (!when.value().is_object() || when.value().empty()) when.fail("is empty", "JSON pointers with values");
  for (const auto& [pointer, value] : when.value().items())
    filter.when.emplace_back(pointer, value.is_array() ? value.get<std::vector<json>>() : std::vector{value});
  return filter;
}

}  // namespace

SweepPlace place_of(const JsonPlace& place) { return {.file = place.file(), .pointer = place.pointer()}; }

ScenarioDocument read_base(const JsonPlace& place) {
  if (place.value().is_object())
    return {.file = place.file(), .json = place.value(), .changes = {}, .place = place.pointer()};
  return read_document(input_path(place, {}, "study"), {});
}

ScenarioDocument read_base_with_algorithms(const JsonPlace& place) {
  ScenarioDocument base = read_base(place);
  const JsonPlace scenario(base.json, base.file.string(), base.place);
  if (scenario.value().contains("jobs"))
    scenario.fail("has several jobs", "a scenario with \\\"workload\\\" and \\\"algorithms\\\"");
  if (!scenario.value().contains("algorithms")) scenario.fail("has no algorithms", "\"algorithms\"");
  (void)scenario.inside("algorithms").elements(1);
  return base;
}

std::vector<SweepAxis> read_axes(const ObjectReader& study, const std::string& key) {
  std::vector<SweepAxis> axes;
  if (!study.has(key)) return axes;
  for (const JsonPlace& axis : study.at(key).elements())
    axes.push_back(axis.value().is_array() ? linked_axis(axis) : zipped_axis(axis));
  return axes;
}

std::vector<SweepFilter> read_filters(const ObjectReader& study, const std::string& key) {
  std::vector<SweepFilter> filters;
  if (!study.has(key)) return filters;
  for (const JsonPlace& filter : study.at(key).elements()) filters.push_back(read_filter(filter));
  return filters;
}

int read_seeds(ObjectReader& study) { return study.small_integer("seeds", {1, most_seeds}, 1); }

void check_seeds(int seeds) {
  if (seeds < 1 || seeds > most_seeds)
    throw ScenarioError(
        {"--seeds", "", "out of range", fmt::format("{}", seeds), fmt::format("from 1 to {}", most_seeds)});
}

}  // namespace starling
