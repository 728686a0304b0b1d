#include "analysis/design/design_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/networks/price_list_file.hpp"
#include "analysis/studies/study_reader.hpp"
#include "io/json/input_file.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

const std::vector<std::string>& objectives() {
  static const std::vector<std::string> names{"iteration_time", "throughput", "time_to_loss"};
  return names;
}

/// Refuses an axis of a family that varies algorithms, seeds or jobs, which the study itself determines.
void check_is_of_network(const JsonPlace& family, const SweepAxis& axis) {
  for (const std::string& pointer : axis.pointers)
    for (const char* other : {"/algorithms", "/seed", "/jobs"})
      if (pointer.starts_with(other))
        family.fail(fmt::format("\"{}\" is not a property of a network", pointer),
                    "a pointer such as /cluster/network");
}

SweepAxis read_settings(const JsonPlace& place) {
  if (!place.value().is_object() || place.value().empty())
    place.fail("is empty", "JSON pointers with values");
  SweepAxis axis{.pointers = {}, .points = {{}}, .place = place_of(place)};
  for (const auto& [pointer, value] : place.value().items()) {
    if (!pointer.starts_with('/'))
      place.fail(fmt::format("\"{}\" is not a JSON pointer", pointer), "one such as /cluster/network");
    if (value.is_null())
      JsonPlace(value, place.file(), pointer_to(place.pointer(), pointer))
          .fail("no value", "a value of the scenario");
    axis.pointers.push_back(pointer);
    axis.points.front().push_back(value);
  }
  return axis;
}

DesignFamily read_family(const JsonPlace& place, const ScenarioDocument& base) {
  ObjectReader object(place, {"name", "set", "vary", "skip"});
  std::vector<SweepAxis> axes;
  if (object.has("set")) axes.push_back(read_settings(object.at("set")));
  const std::size_t settings = axes.empty() ? 0 : axes.front().pointers.size();
  for (SweepAxis& axis : read_axes(object, "vary")) axes.push_back(std::move(axis));
  for (const SweepAxis& axis : axes) check_is_of_network(place, axis);
  const std::string name = object.text("name");
  try {
    return {.name = name,
            .networks = SweepPlan(base, std::move(axes), read_filters(object, "skip"), 1),
            .settings = settings};
  } catch (const ScenarioError& error) {
    if (error.description().file != "sweep") throw;
    ScenarioError::Description description = error.description();
    description.file = place.file();
    description.place = place.pointer() + description.place;
    throw ScenarioError(description);
  }
}

std::vector<DesignFamily> read_families(const ObjectReader& object, const ScenarioDocument& base) {
  std::vector<DesignFamily> families;
  for (const JsonPlace& place : object.at("families", "kinds of networks to choose from").elements(1)) {
    DesignFamily family = read_family(place, base);
    const auto first = std::ranges::find(families, family.name, &DesignFamily::name);
    if (first != families.end())
      place.inside("name").fail(
          fmt::format("this name is already used by {}",
                      pointer_to("/families", static_cast<std::size_t>(first - families.begin()))),
          "a name of its own");
    families.push_back(std::move(family));
  }
  return families;
}

double read_target(const JsonPlace& place, DesignObjective objective) {
  constexpr double least = 1e-9;
  constexpr double greatest = 1e15;
  if (objective == DesignObjective::throughput) return place.number({.least = least, .greatest = greatest});
  return place.quantity(Dimension::time, {.least = least, .greatest = greatest});
}

DesignStudy design_in(const ScenarioDocument& document, const std::optional<int>& seeds) {
  ObjectReader object(
      JsonPlace(document.json, document.file.string()),
      {"description", "base", "families", "prices", "objective", "target", "budget", "least_gain", "seeds"});
  DesignStudy study{.name = document.file.stem().string(),
                    .file = document.file,
                    .base = read_base_with_algorithms(object.at("base", "a scenario, or its file")),
                    .families = {},
                    .price_list = {},
                    .prices = {}};
  study.families = read_families(object, study.base);
  study.price_list =
      object.has("prices") ? input_path(object.at("prices"), {}, "study") : shipped_price_list();
  study.prices = read_price_list(study.price_list);
  const std::string objective = object.choice("objective", objectives(), "iteration_time");
  study.objective =
      static_cast<DesignObjective>(std::ranges::find(objectives(), objective) - objectives().begin());
  if (object.has("target")) study.target = read_target(object.at("target"), study.objective);
  study.budget = object.optional_number("budget", {.least = 1e-6, .greatest = 1e15});
  study.least_gain = object.number("least_gain", {.least = 0, .greatest = 0.99}, study.least_gain);
  study.seeds = seeds.value_or(read_seeds(object));
  check_seeds(study.seeds);
  validate_against_schema(document.json, "design", document.file.string());
  return study;
}

}  // namespace

std::string name_of(DesignObjective objective) {
  return objectives().at(static_cast<std::size_t>(objective));
}

DesignStudy read_design(const DesignRequest& request) {
  const ScenarioDocument document = read_document(request.file, request.overrides);
  return naming_overrides_of(document, [&] { return design_in(document, request.seeds); });
}

}  // namespace starling
