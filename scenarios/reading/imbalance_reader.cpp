#include "scenarios/reading/imbalance_reader.hpp"

#include <fmt/core.h>

#include "io/options/reader.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/distribution_file.hpp"
#include "scenarios/reading/trace_file.hpp"
#include "workloads/imbalance/unit_mean_law.hpp"

namespace starling {

namespace {

void load(DrawnTime& drawn, const JsonPlace& place) {
  const JsonPlace source = place.inside(drawn.shipped_name ? "name" : "file");
  drawn.distribution =
      drawn.shipped_name ? read_shipped_distribution(source) : read_distribution_file(drawn.file);
  if (drawn.distribution->unit() != "s")
    source.fail(fmt::format("is a distribution of {}, not of times", drawn.distribution->unit()),
                "one in unit s");
}

/// A gamma law cannot have a coefficient of variation between 0 and a least positive one.
void check(const RandomFactor<Law::gamma>& factor, const JsonPlace& place) {
  naming_place(place.file(), place.inside("coefficient_of_variation").pointer(),
               [&] { UnitMeanLaw(Law::gamma, factor.coefficient_of_variation); });
}

std::vector<JsonPlace> causes_at(const JsonPlace& place) {
  return place.value().is_array() ? place.elements() : std::vector{place};
}

}  // namespace

void load_imbalance(std::vector<Imbalance>& causes, const JsonPlace& place) {
  const std::vector<JsonPlace> places = causes_at(place);
  bool is_replaced = false;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (auto* drawn = std::get_if<DrawnTime>(&causes[i])) load(*drawn, places[i]);
    if (auto* factor = std::get_if<RandomFactor<Law::gamma>>(&causes[i])) check(*factor, places[i]);
    if (auto* trace = std::get_if<ComputeTrace>(&causes[i])) trace->points = read_trace_file(trace->file);
    const bool replaces = nature_of(causes[i]).replaces_compute_time;
    if (is_replaced && replaces)
      places[i].fail("the compute time is already drawn or traced", "one distribution or trace in the list");
    is_replaced = is_replaced || replaces;
  }
}

std::vector<Imbalance> read_imbalance(const JsonPlace& place, int workers) {
  std::vector<Imbalance> causes;
  for (const JsonPlace& element : causes_at(place))
    read_options(element, [&, &cause = causes.emplace_back()](OptionVisitor& visitor) {
      describe_imbalance(cause, workers, visitor);
    });
  load_imbalance(causes, place);
  return causes;
}

}  // namespace starling
