#include "analysis/regimes/regime_study.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/studies/study_reader.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/imbalance_reader.hpp"

namespace starling {
namespace {

constexpr Range ratio_range{.least = 1e-4, .greatest = 1e4};
constexpr Range variation_range{.least = 0, .greatest = 3};
constexpr IntegerRange workers_range{.least = 2, .greatest = 65'536};
constexpr int most_points_of_scale = 1000;

/// Reads a list of ascending numbers.
std::vector<double> read_list(const JsonPlace& place, Range range) {
  std::vector<double> values;
  for (const JsonPlace& element : place.elements(1)) {
    values.push_back(element.number(range));
    if (values.size() > 1 && values.back() <= values[values.size() - 2])
      element.fail("numbers must be ascending", "a number greater than the one before it");
  }
  return values;
}

/// Whether neighboring points of a scale have equal differences, or equal ratios.
enum class Steps { equal, equal_factors };

/// Reads a scale: an object of `from`, `to` and `points`, or a list of numbers.
std::vector<double> read_scale(const JsonPlace& place, Range range, Steps steps) {
  if (!place.value().is_object()) return read_list(place, range);
  ObjectReader object(place, {"from", "to", "points"});
  const double from = object.number("from", range);
  const double to = object.number("to", range);
  const int points = object.small_integer("points", {2, most_points_of_scale});
  if (to <= from) object.at("to").fail("is not greater than \"from\"", fmt::format("more than {}", from));
  std::vector<double> values;
  for (int i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / (points - 1);
    values.push_back(steps == Steps::equal_factors ? from * std::pow(to / from, share)
                                                   : from + (to - from) * share);
  }
  return values;
}

std::vector<int> read_workers(const JsonPlace& place) {
  std::vector<int> workers;
  for (const JsonPlace& element : place.elements(1)) {
    workers.push_back(static_cast<int>(element.integer(workers_range)));
    if (workers.size() > 1 && workers.back() <= workers[workers.size() - 2])
      element.fail("numbers must be ascending", "a number greater than the one before it");
  }
  return workers;
}

/// @throws ScenarioError at that place if the law cannot have this coefficient of variation.
void check_variation(const std::string& law, double variation, const JsonPlace& place) {
  const nlohmann::json cause{{"kind", law}, {"coefficient_of_variation", variation}};
  try {
    read_imbalance(JsonPlace(cause, place.file()), 1);
  } catch (const ScenarioError& error) {
    const ScenarioError::Description& wrong = error.description();
    throw ScenarioError({place.file(), place.pointer(), wrong.problem, wrong.got, wrong.expected});
  }
}

/// Checks all variations. The ends of a scale come first: if a number in between is wrong, so is one of them.
void check_variations(const RegimeStudy& study, const JsonPlace& place) {
  const std::vector<double>& all = study.variations;
  if (place.value().is_object()) {
    check_variation(study.law, all.front(), place.inside("from"));
    check_variation(study.law, all.back(), place.inside("to"));
    for (const double variation : all) check_variation(study.law, variation, place);
    return;
  }
  const std::vector<JsonPlace> places = place.elements();
  for (std::size_t i = 0; i < all.size(); ++i) check_variation(study.law, all[i], places[i]);
}

/// Reads the base, which must have two algorithms or more, and no imbalance, as the study sets that.
ScenarioDocument read_checked_base(const JsonPlace& place) {
  ScenarioDocument base = read_base_with_algorithms(place);
  const JsonPlace document(base.json, base.file.string(), base.place);
  if (document.inside("algorithms").value().size() < 2)
    document.inside("algorithms").fail("there is only one algorithm to compare", "at least two");
  const nlohmann::json::json_pointer imbalance("/workload/imbalance");
  if (base.json.contains(imbalance))
    document.inside("workload")
        .inside("imbalance")
        .fail("the study itself varies the imbalance", "a base without imbalance");
  return base;
}

RegimeStudy regimes_in(const ScenarioDocument& document) {
  const JsonPlace place(document.json, document.file.string());
  ObjectReader object(place, {"description", "base", "workers", "communication_to_compute",
                              "coefficient_of_variation", "law"});
  RegimeStudy study{.name = document.file.stem().string(),
                    .base = read_checked_base(object.at("base", "a scenario, or its file")),
                    .workers = {},
                    .ratios = {},
                    .variations = {}};
  study.workers = read_workers(object.at("workers", "a list of numbers of workers"));
  study.ratios =
      read_scale(object.at("communication_to_compute", "ratios"), ratio_range, Steps::equal_factors);
  study.variations = read_scale(object.at("coefficient_of_variation", "coefficients of variation"),
                                variation_range, Steps::equal);
  study.law = object.choice("law", {"gamma", "lognormal", "normal", "weibull"}, "gamma");
  check_variations(study, object.at("coefficient_of_variation"));
  if (study.points() < 2)
    place.fail("the map has only one point", "at least two points; starling model predicts a single one");
  validate_against_schema(document.json, "regimes", document.file.string());
  return study;
}

}  // namespace

RegimeStudy read_regimes(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const ScenarioDocument document = read_document(file, overrides);
  return naming_overrides_of(document, [&] { return regimes_in(document); });
}

}  // namespace starling
