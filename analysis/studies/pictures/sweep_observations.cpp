#include "analysis/studies/pictures/sweep_observations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "analysis/results/files/saved_result.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "base/texts/near_key.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_option(const std::string& option, const std::string& problem, const std::string& got,
                                const std::string& expected) {
  throw ScenarioError({option, "", problem, got, expected});
}

/// The names of dimensions, as on report pages: short_names() of the pointers, with blanks for underscores.
std::map<std::string, std::string> names_of_dimensions(const std::vector<std::string>& pointers) {
  std::vector<std::string> names = short_names(pointers);
  std::map<std::string, std::string> named{
      {std::string(algorithm_dimension), std::string(algorithm_dimension)}};
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    std::ranges::replace(names[i], '_', ' ');
    named[pointers[i]] = names[i];
  }
  return named;
}

/// The index of a figure in sweep_figures(). @throws ScenarioError if there is none of that name.
std::size_t figure_named(const std::string& name) {
  const std::size_t figure = index_of_figure(name);
  if (figure < sweep_figures().size()) return figure;
  std::vector<std::string> names;
  for (const SweepFigure& each : sweep_figures()) names.push_back(each.name);
  refuse_option("--y", fmt::format("there is no such figure{}", suggestion(name, names)), name,
                fmt::format("{}", fmt::join(names, ", ")));
}

/// Points that are not drawn, as some of their runs lack the figure.
struct LeftOut {
  std::int64_t points = 0;
  std::int64_t runs = 0;          // of these points
  std::int64_t runs_without = 0;  // of these runs, those that lack the figure
  std::vector<json> places = {};  // distinct values of the x dimension
};

/// Collects the points of a picture in one pass over a store.
class Collector {
 public:
  Collector(const SweepStore& store, const SweepPlotOptions& options)
      : options_(options), plan_(store.plan()), figure_(figure_named(options.y)) {
    check_dimension("--x", options.x);
    check_dimension("--color", options.color);
    if (options.facet) check_dimension("--facet", *options.facet);
    store.refuse_if_none_has_ended();
    found_ = {.scenario = {},
              .figure = sweep_figures()[figure_],
              .names = names_of_dimensions(plan_.pointers()),
              .conditions = read_conditions()};
    collect(store);
    check_all_is_shown();
    found_.warning = warning();
  }

  SweepObservations observations() && { return std::move(found_); }

 private:
  std::vector<std::string> dimensions() const {
    std::vector<std::string> all = plan_.pointers();
    all.emplace_back(algorithm_dimension);
    return all;
  }

  void check_dimension(const std::string& option, const std::string& dimension) const {
    const std::vector<std::string> all = dimensions();
    if (std::ranges::find(all, dimension) == all.end())
      refuse_option(option, fmt::format("does not vary{}", suggestion(dimension, all)), dimension,
                    fmt::format("{}", fmt::join(all, ", ")));
  }

  std::vector<SweepCondition> read_conditions() const {
    std::vector<SweepCondition> conditions;
    for (const std::string& option : options_.where) {
      const std::size_t equals = option.find('=');
      if (equals == std::string::npos)
        refuse_option("--where", "not a condition", option, "/json/pointer=VALUE");
      conditions.emplace_back(option.substr(0, equals), option.substr(equals + 1));
      check_dimension("--where", conditions.back().first);
    }
    return conditions;
  }

  void collect(const SweepStore& store) {
    bool is_any_wanted = false;
    for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
      if (found_.scenario.empty()) found_.scenario = name_of_scenario(runs.front());
      const std::vector<SweepSummary> summaries = summaries_of(runs);
      for (std::size_t i = 0; i < summaries.size(); ++i) {
        Observation observation = observation_of(combination, summaries[i]);
        if (!is_wanted(observation)) continue;
        is_any_wanted = true;
        if (summaries[i].figures[figure_])
          found_.points.push_back(std::move(observation));
        else
          leave_out(observation, runs, i);
      }
    });
    if (!found_.conditions.empty() && !is_any_wanted)
      refuse_option("--where", "no run fulfills these conditions",
                    fmt::format("{}", fmt::join(options_.where, " ")), "values that the sweep has");
    if (found_.points.empty())
      refuse_option("--y", "no run has this figure", options_.y,
                    "another figure, or other values of --where");
  }

  /// A point; its figure is 0 if some runs lack it.
  Observation observation_of(std::int64_t combination, const SweepSummary& summary) const {
    const std::vector<json> values = plan_.values(combination);
    Observation observation;
    for (std::size_t i = 0; i < values.size(); ++i) observation.values[plan_.pointers()[i]] = values[i];
    observation.values[std::string(algorithm_dimension)] = summary.algorithm;
    observation.figure = summary.figures[figure_].value_or(SampleEstimate{});
    return observation;
  }

  bool is_wanted(const Observation& observation) const {
    return std::ranges::all_of(found_.conditions, [&](const SweepCondition& condition) {
      return value_text(observation.values.at(condition.first)) == condition.second;
    });
  }

  /// Notes a point that is not drawn. `block` is the index of its algorithm or job in the results.
  void leave_out(const Observation& point, const std::vector<SweepRun>& runs, std::size_t block) {
    ++left_out_.points;
    left_out_.runs += static_cast<std::int64_t>(runs.size());
    left_out_.runs_without += std::ranges::count_if(
        runs, [&](const SweepRun& run) { return !value_of(found_.figure, blocks_of(run.result).at(block)); });
    const json& place = point.values.at(options_.x);
    if (std::ranges::find(left_out_.places, place) == left_out_.places.end())
      left_out_.places.push_back(place);
  }

  bool is_shown(const std::string& dimension) const {
    return dimension == options_.x || dimension == options_.color || dimension == options_.facet;
  }

  void check_all_is_shown() const {
    std::vector<std::string> others;
    for (const std::string& dimension : dimensions())
      if (!is_shown(dimension) && varies_at_some_point(dimension)) others.push_back(dimension);
    if (!others.empty())
      refuse_option("plot", "further dimensions vary", fmt::format("{}", fmt::join(others, ", ")),
                    "--color or --facet for them, or --where with one of their values");
  }

  /// Whether points with the same shown values differ in a hidden dimension. A dimension whose value follows
  /// from the shown ones need not be shown.
  bool varies_at_some_point(const std::string& hidden) const {
    std::map<std::vector<json>, std::set<std::string>> found;
    for (const Observation& each : found_.points) {
      std::vector<json> shown;
      for (const auto& [dimension, value] : each.values)
        if (is_shown(dimension)) shown.push_back(value);
      found[shown].insert(value_text(each.values.at(hidden)));
    }
    return std::ranges::any_of(found, [](const auto& each) { return each.second.size() > 1; });
  }

  std::string warning() const {
    if (left_out_.points == 0) return "";
    constexpr std::size_t most_named = 10;
    std::vector<std::string> places;
    for (const json& place : left_out_.places) places.push_back(value_text(place));
    const std::size_t more = places.size() - std::min(places.size(), most_named);
    places.resize(places.size() - more);
    if (more > 0) places.push_back(fmt::format("and {} more", more));
    return fmt::format(
        "not drawn: {} of {} points; of their {} runs, {} have no {}{}; the points are at {} {}",
        left_out_.points, left_out_.points + static_cast<std::int64_t>(found_.points.size()), left_out_.runs,
        left_out_.runs_without, found_.figure.name,
        found_.figure.name == "time_to_target_s" ? " (they reached no target)" : "",
        found_.names.at(options_.x), fmt::join(places, ", "));
  }

  const SweepPlotOptions& options_;
  const SweepPlan& plan_;
  std::size_t figure_;  // among sweep_figures()
  SweepObservations found_;
  LeftOut left_out_;
};

}  // namespace

SweepObservations observe(const SweepStore& store, const SweepPlotOptions& options) {
  return Collector(store, options).observations();
}

}  // namespace starling
