#include "analysis/studies/sweep_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/studies/study_reader.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/json/overrides.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// Splits a text at the commas outside of brackets, braces and quotes.
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

struct Study {
  ScenarioDocument base;
  std::vector<SweepAxis> axes;
  std::vector<SweepFilter> filters;
  int seeds = 1;
};

Study read_study(const json& document, const std::filesystem::path& file) {
  ObjectReader object(JsonPlace(document, file.string()), {"description", "base", "vary", "skip", "seeds"});
  Study study{.base = read_base(object.at("base", "a scenario, or its file")), .axes = {}, .filters = {}};
  study.axes = read_axes(object, "vary");
  study.filters = read_filters(object, "skip");
  study.seeds = read_seeds(object);
  validate_against_schema(document, "study", file.string());
  return study;
}

/// Refuses an override at or below a pointer that varies, which would have no effect, and an axis with the
/// same point twice.
void refuse_without_effect(const Study& study) {
  for (const SweepAxis& axis : study.axes) {
    for (const std::string& pointer : axis.pointers)
      for (const Override& change : study.base.changes)
        if (is_at_or_below(change.option.substr(0, change.option.find('=')), pointer))
          throw ScenarioError({name_of(change), "", "has no effect: every run replaces this value", pointer,
                               "a value that does not vary"});
    std::set<std::vector<json>> values;
    for (const std::vector<json>& point : axis.points)
      if (!values.insert(point).second)
        throw ScenarioError({axis.place.file, axis.place.pointer, "the same value appears twice",
                             fmt::format("{}: {}", fmt::join(axis.pointers, ", "),
                                         point.size() == 1 ? point.front().dump() : json(point).dump()),
                             "each value once"});
  }
}

/// Refuses an axis of seeds if there are several seeds: counted up from each of its values, the same seed
/// would come more than once and count as an independent sample.
void refuse_seeds_twice(const Study& study, int seeds) {
  if (seeds == 1) return;
  for (const SweepAxis& axis : study.axes)
    if (std::ranges::find(axis.pointers, "/seed") != axis.pointers.end())
      throw ScenarioError({axis.place.file, axis.place.pointer,
                           fmt::format("the seed varies, although {} seeds are counted up from it", seeds),
                           "/seed", "either varied seeds, or a number of seeds (--seeds N, or \"seeds\")"});
}

/// Whether this value at this pointer gives a job a seed of its own.
bool seeds_jobs(const std::string& pointer, const json& value) {
  const auto has_seed = [](const json& job) { return job.is_object() && job.contains("seed"); };
  if (pointer == "/jobs") return value.is_array() && std::ranges::any_of(value, has_seed);
  if (!pointer.starts_with("/jobs/")) return false;
  const auto names = std::ranges::count(pointer, '/');
  return names == 2 ? has_seed(value) : names == 3 && pointer.ends_with("/seed");
}

/// Refuses jobs with seeds of their own if there are several seeds: a job's own seed is not counted up, so
/// its draws would be the same with every seed and count as independent samples.
void refuse_seeds_of_jobs(const Study& study, int seeds) {
  if (seeds == 1) return;
  const std::string problem =
      fmt::format("a job with its own seed has the same random draws for all {} seeds", seeds);
  const std::string expected = "jobs without their own seeds; or a single seed, with varied seeds of jobs";
  for (const SweepAxis& axis : study.axes)
    for (const std::vector<json>& point : axis.points)
      for (std::size_t i = 0; i < axis.pointers.size(); ++i)
        if (seeds_jobs(axis.pointers[i], point[i]))
          throw ScenarioError({axis.place.file, axis.place.pointer, problem, axis.pointers[i], expected});
  const ScenarioDocument& base = study.base;
  const json jobs = value_at(base.json, "/jobs");
  for (std::size_t i = 0; jobs.is_array() && i < jobs.size(); ++i) {
    if (!jobs[i].is_object() || !jobs[i].contains("seed")) continue;
    const std::string place = fmt::format("/jobs/{}/seed", i);
    for (const Override& change : base.changes)
      if (concerns(change, place))
        throw ScenarioError({name_of(change), "", problem, jobs[i]["seed"].dump(), expected});
    throw ScenarioError({base.file.string(), base.place + place, problem, jobs[i]["seed"].dump(), expected});
  }
}

/// Applies the overrides and the further axes of the command line.
void change(Study& study, const SweepRequest& request) {
  for (const std::string& option : request.overrides) change(study.base, option);
  for (const std::string& option : request.varied) study.axes.push_back(parse_axis(option));
  refuse_without_effect(study);
}

}  // namespace

SweepAxis parse_axis(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || option.front() != '/')
    throw ScenarioError({"--vary " + option, "", "not a list of values", "", "/json/pointer=A,B,C"});
  SweepAxis axis{.pointers = {option.substr(0, equals)}, .points = {}, .place = {.file = "--vary " + option}};
  for (const std::string& part : split_values(std::string_view(option).substr(equals + 1))) {
    if (part.empty())
      throw ScenarioError({"--vary " + option, "", "a value is empty", "", "/json/pointer=A,B,C"});
    axis.points.push_back({json_or_text(part, "--vary")});
    if (axis.points.back().front().is_null())
      throw ScenarioError({"--vary " + option, "", "null is not a value", "", "/json/pointer=A,B,C"});
  }
  return axis;
}

SweepPlan read_sweep(const SweepRequest& request) {
  ScenarioDocument read = read_document(request.file, {});
  Study study;
  if (read.json.contains("base"))
    study = read_study(read.json, read.file);
  else
    study.base = std::move(read);
  change(study, request);
  const int seeds = request.seeds.value_or(study.seeds);
  check_seeds(seeds);
  refuse_seeds_twice(study, seeds);
  refuse_seeds_of_jobs(study, seeds);
  if (study.axes.empty() && seeds == 1)
    throw ScenarioError({request.file.string(), "", "nothing varies", "",
                         "--vary /json/pointer=A,B,C, --seeds N, or a study with \"vary\""});
  return SweepPlan(std::move(study.base), std::move(study.axes), std::move(study.filters), seeds);
}

}  // namespace starling
