#include "analysis/studies/sweep_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/input_file.hpp"
#include "io/json_reader.hpp"
#include "io/json_text.hpp"
#include "io/overrides.hpp"
#include "io/scenario_error.hpp"
#include "io/schema.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr int most_seeds = 1'000'000;

/// The parts between commas that are in no brackets, braces or quotes.
std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '\\' && i + 1 < text.size()) {
      parts.back() += c;
      parts.back() += text[++i];
      continue;
    }
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == '[' || c == '{')) ++depth;
    if (!is_quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !is_quoted)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

void check_pointer(const JsonPlace& place, const std::string& pointer) {
  if (!pointer.starts_with('/'))
    place.fail(fmt::format("\"{}\" is no JSON pointer", pointer), "one such as /cluster/workers");
}

/// An object of lists, which are as long: values that vary together.
SweepAxis zipped_axis(const JsonPlace& place) {
  SweepAxis axis;
  for (const auto& [pointer, values] : place.value().items()) {
    check_pointer(place, pointer);
    axis.pointers.push_back(pointer);
    const auto elements = JsonPlace(values, place.file(), pointer_to(place.pointer(), pointer)).elements(1);
    if (axis.pointers.size() == 1) axis.points.resize(elements.size());
    if (elements.size() != axis.points.size())
      place.fail(fmt::format("lists of one axis have {} and {} values", axis.points.size(), elements.size()),
                 "lists that are as long; or an axis for each");
    for (std::size_t i = 0; i < elements.size(); ++i) axis.points[i].push_back(elements[i].value());
  }
  if (axis.pointers.empty()) place.fail("varies nothing", "JSON pointers with lists of values");
  return axis;
}

/// A list of objects with the same pointers: the points one by one.
SweepAxis linked_axis(const JsonPlace& place) {
  SweepAxis axis;
  for (const JsonPlace& point : place.elements(1)) {
    if (!point.value().is_object()) point.fail("wrong type", "an object of JSON pointers and values");
    std::vector<std::string> pointers;
    std::vector<json> values;
    for (const auto& [pointer, value] : point.value().items()) {
      check_pointer(point, pointer);
      pointers.push_back(pointer);
      values.push_back(value);
    }
    if (pointers.empty()) point.fail("varies nothing", "JSON pointers with values");
    if (!axis.points.empty() && pointers != axis.pointers)
      point.fail("has other pointers than the point before",
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
  if (!when.value().is_object() || when.value().empty())
    when.fail("names no value", "JSON pointers with values");
  for (const auto& [pointer, value] : when.value().items())
    filter.when.emplace_back(pointer, value.is_array() ? value.get<std::vector<json>>() : std::vector{value});
  return filter;
}

/// A scenario in the study itself, or the file of one.
ScenarioDocument read_base(const JsonPlace& place) {
  if (place.value().is_object()) return {.file = place.file(), .json = place.value(), .changes = {}};
  return read_document(input_path(place), {});
}

struct Study {
  ScenarioDocument base;
  std::vector<SweepAxis> axes;
  std::vector<SweepFilter> filters;
  int seeds = 1;
};

Study read_study(const json& document, const std::filesystem::path& file) {
  ObjectReader object(JsonPlace(document, file.string()), {"description", "base", "vary", "skip", "seeds"});
  Study study{.base = read_base(object.at("base", "a scenario, or its file")), .axes = {}, .filters = {}};
  if (object.has("vary"))
    for (const JsonPlace& axis : object.at("vary").elements())
      study.axes.push_back(axis.value().is_array() ? linked_axis(axis) : zipped_axis(axis));
  if (object.has("skip"))
    for (const JsonPlace& filter : object.at("skip").elements()) study.filters.push_back(read_filter(filter));
  study.seeds = object.small_integer("seeds", {1, most_seeds}, 1);
  validate_against_schema(document, "study", file.string());
  return study;
}

}  // namespace

bool is_sweep_study(const json& document) { return document.is_object() && document.contains("base"); }

SweepAxis parse_axis(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || option.front() != '/')
    throw ScenarioError({"--vary " + option, "", "not a list of values", "", "/json/pointer=A,B,C"});
  SweepAxis axis{.pointers = {option.substr(0, equals)}, .points = {}};
  for (const std::string& part : split_values(std::string_view(option).substr(equals + 1))) {
    if (part.empty())
      throw ScenarioError({"--vary " + option, "", "a value is empty", "", "/json/pointer=A,B,C"});
    axis.points.push_back({json_or_text(part, "--vary")});
  }
  return axis;
}

SweepPlan read_sweep(const SweepRequest& request) {
  ScenarioDocument read = read_document(request.file, {});
  Study study;
  if (is_sweep_study(read.json))
    study = read_study(read.json, read.file);
  else
    study.base = std::move(read);
  for (const std::string& option : request.overrides) change(study.base, option);
  for (const std::string& option : request.varied) study.axes.push_back(parse_axis(option));
  const int seeds = request.seeds.value_or(study.seeds);
  if (seeds < 1 || seeds > most_seeds)
    throw ScenarioError(
        {"--seeds", "", "out of range", fmt::format("{}", seeds), fmt::format("from 1 to {}", most_seeds)});
  if (study.axes.empty() && seeds == 1)
    throw ScenarioError({request.file.string(), "", "nothing varies", "",
                         "--vary /json/pointer=A,B,C, --seeds N, or a study with \"vary\""});
  return SweepPlan(std::move(study.base), std::move(study.axes), std::move(study.filters), seeds);
}

}  // namespace starling
