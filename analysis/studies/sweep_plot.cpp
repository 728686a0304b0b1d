#include "analysis/studies/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/results/files/saved_result.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "base/texts/near_key.hpp"
#include "io/json/json_text.hpp"
#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"
#include "io/pictures/plot_axes.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr std::string_view algorithm_dimension = "algorithm";
constexpr const char* band_fill = "transparent solid 0.2";
constexpr double part_in = 2.4;  // high

[[noreturn]] void refuse(const std::string& option, const std::string& problem, const std::string& got,
                         const std::string& expected) {
  throw ScenarioError({option, "", problem, got, expected});
}

/// What an algorithm achieved in a combination, by dimension.
struct Observation {
  std::map<std::string, json> values;
  SampleEstimate figure;
};

/// Points that are not drawn, as runs of theirs have no such figure.
struct LeftOut {
  std::int64_t points = 0;
  std::int64_t runs = 0;          // of these points
  std::int64_t runs_without = 0;  // of these, without the figure
  std::vector<json> places = {};  // along the axis across, each once
};

PlotAxis axis_of(const std::vector<Observation>& observations, const std::string& dimension) {
  std::vector<json> values;
  for (const Observation& each : observations)
    if (std::ranges::find(values, each.values.at(dimension)) == values.end())
      values.push_back(each.values.at(dimension));
  return axis_through(std::move(values));
}

/// What dimensions are called, as on pages: two that end alike are told apart.
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

/// The values of a dimension in the order in which curves or parts are shown.
std::vector<json> ordered_values(const std::vector<Observation>& observations, const std::string& dimension) {
  const PlotAxis axis = axis_of(observations, dimension);
  std::vector<json> values = axis.values;
  std::ranges::stable_sort(values, {}, [&](const json& value) { return axis.number_of(value); });
  return values;
}

class SweepPlot {
 public:
  SweepPlot(const SweepStore& store, const SweepPlotOptions& options)
      : options_(options),
        plan_(store.plan()),
        names_(names_of_dimensions(plan_.pointers())),
        figure_(figure_named(options.y)) {
    check_dimension("--x", options.x);
    check_dimension("--color", options.color);
    if (options.facet) check_dimension("--facet", *options.facet);
    collect(store);
    check_all_is_shown();
    x_ = axis_of(observations_, options.x);
    unit_ = unit_for(figure_.unit, greatest_value());
  }

  std::string script(const std::filesystem::path& picture) const {
    const std::vector<json> facets =
        options_.facet ? ordered_values(observations_, *options_.facet) : std::vector<json>{nullptr};
    const std::vector<json> colors = ordered_values(observations_, options_.color);
    const double part_width = part_width_in(facets.size(), names_across());
    const PlotLabels labels(labels_across(), range_across(), part_width);
    const std::vector<KeyEntry> curves = curves_of(colors);
    const auto titles = broken_titles(titles_of(facets), part_width);
    const PictureLayout layout(facets.size(),
                               {.width_in = part_width,
                                .height_in = part_in,
                                .above_in = above_part_in(titles),
                                .below_in = labels.below_in(),
                                .gap_in = labels.gap_in(),
                                .left_in = left_of_numbers_in(range_upwards().number_width_in())},
                               title(), key(facets, colors, curves));
    std::string text = gnuplot_terminal(picture, layout.width_in(), layout.height_in()) + common_settings() +
                       labels.settings() + "set multiplot\n" + layout.head();
    for (std::size_t i = 0; i < facets.size(); ++i) {
      text += layout.place(i) + part_settings(layout.is_leftmost(i));
      if (options_.facet) text += fmt::format("set title {}\n", broken_text(titles[i]));
      text += part(facets[i], i, colors, curves);
      if (i == 0) text += PictureLayout::without_head();
    }
    return text + "unset multiplot\n";
  }

  /// Of points that are left out; empty without any.
  std::string warning() const {
    if (left_out_.points == 0) return "";
    constexpr std::size_t most_named = 10;
    std::vector<std::string> places;
    for (const json& place : left_out_.places) places.push_back(value_text(place));
    const std::size_t more = places.size() - std::min(places.size(), most_named);
    places.resize(places.size() - more);
    if (more > 0) places.push_back(fmt::format("and {} more", more));
    return fmt::format("not drawn: {} of {} points, of whose {} runs {} have no {}{}; they are at {} {}",
                       left_out_.points, left_out_.points + static_cast<std::int64_t>(observations_.size()),
                       left_out_.runs, left_out_.runs_without, figure_.name,
                       figure_.name == "time_to_target_s" ? " (they reached no target)" : "",
                       name_of_dimension(options_.x), fmt::join(places, ", "));
  }

 private:
  const SweepFigure& figure_named(const std::string& name) const {
    std::vector<std::string> names;
    for (const SweepFigure& figure : sweep_figures()) {
      if (figure.name == name) return figure;
      names.push_back(figure.name);
    }
    refuse("--y", fmt::format("there is no such figure{}", suggestion(name, names)), name,
           fmt::format("{}", fmt::join(names, ", ")));
  }

  std::vector<std::string> dimensions() const {
    std::vector<std::string> all = plan_.pointers();
    all.emplace_back(algorithm_dimension);
    return all;
  }

  void check_dimension(const std::string& option, const std::string& dimension) const {
    const std::vector<std::string> all = dimensions();
    if (std::ranges::find(all, dimension) == all.end())
      refuse(option, fmt::format("does not vary{}", suggestion(dimension, all)), dimension,
             fmt::format("{}", fmt::join(all, ", ")));
  }

  const std::string& name_of_dimension(const std::string& dimension) const { return names_.at(dimension); }

  /// Dimensions, each with the text of its value.
  using Conditions = std::vector<std::pair<std::string, std::string>>;

  void collect(const SweepStore& store) {
    store.refuse_if_none_has_ended();
    const Conditions conditions = read_conditions();
    bool is_met_by_some = false;
    for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
      if (scenario_.empty()) scenario_ = name_of_scenario(runs.front());
      const std::vector<SweepSummary> summaries = summaries_of(runs);
      for (std::size_t i = 0; i < summaries.size(); ++i) {
        Observation observation = observation_of(combination, summaries[i]);
        if (!meets(observation, conditions)) continue;
        is_met_by_some = true;
        if (summaries[i].figures[figure_index()])
          observations_.push_back(std::move(observation));
        else
          leave_out(observation, runs, i);
      }
    });
    if (!conditions.empty() && !is_met_by_some)
      refuse("--where", "no run meets this", fmt::format("{}", fmt::join(options_.where, " ")),
             "values that the sweep has");
    if (observations_.empty())
      refuse("--y", "no run has this figure", options_.y, "another one, or other values of --where");
  }

  /// Among those of a summary.
  std::size_t figure_index() const { return static_cast<std::size_t>(&figure_ - sweep_figures().data()); }

  /// Without a figure if runs have none.
  Observation observation_of(std::int64_t combination, const SweepSummary& summary) const {
    const std::vector<json> values = plan_.values(combination);
    Observation observation;
    for (std::size_t i = 0; i < values.size(); ++i) observation.values[plan_.pointers()[i]] = values[i];
    observation.values[std::string(algorithm_dimension)] = summary.algorithm;
    observation.figure = summary.figures[figure_index()].value_or(SampleEstimate{});
    return observation;
  }

  static bool meets(const Observation& observation, const Conditions& conditions) {
    return std::ranges::all_of(conditions, [&](const auto& condition) {
      return value_text(observation.values.at(condition.first)) == condition.second;
    });
  }

  /// A point, of which some runs have no figure; it is their `block`-th algorithm or job.
  void leave_out(const Observation& point, const std::vector<SweepRun>& runs, std::size_t block) {
    ++left_out_.points;
    left_out_.runs += static_cast<std::int64_t>(runs.size());
    left_out_.runs_without += std::ranges::count_if(
        runs, [&](const SweepRun& run) { return !value_of(figure_, blocks_of(run.result).at(block)); });
    const json& place = point.values.at(options_.x);
    if (std::ranges::find(left_out_.places, place) == left_out_.places.end())
      left_out_.places.push_back(place);
  }

  Conditions read_conditions() const {
    Conditions conditions;
    for (const std::string& option : options_.where) {
      const std::size_t equals = option.find('=');
      if (equals == std::string::npos) refuse("--where", "not a condition", option, "/json/pointer=VALUE");
      conditions.emplace_back(option.substr(0, equals), option.substr(equals + 1));
      check_dimension("--where", conditions.back().first);
    }
    return conditions;
  }

  bool is_shown(const std::string& dimension) const {
    return dimension == options_.x || dimension == options_.color || dimension == options_.facet;
  }

  void check_all_is_shown() const {
    std::vector<std::string> others;
    for (const std::string& dimension : dimensions())
      if (!is_shown(dimension) && varies_at_some_point(dimension)) others.push_back(dimension);
    if (!others.empty())
      refuse("plot", "more varies than is shown", fmt::format("{}", fmt::join(others, ", ")),
             "--color or --facet of it, or --where with one of its values");
  }

  /// Values that go together with shown ones need no place of their own.
  bool varies_at_some_point(const std::string& hidden) const {
    std::map<std::vector<json>, std::set<std::string>> found;
    for (const Observation& each : observations_) {
      std::vector<json> shown;
      for (const auto& [dimension, value] : each.values)
        if (is_shown(dimension)) shown.push_back(value);
      found[shown].insert(value_text(each.values.at(hidden)));
    }
    return std::ranges::any_of(found, [](const auto& each) { return each.second.size() > 1; });
  }

  std::string common_settings() const {
    std::string text = fmt::format(
        "set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out\nset style fill {} noborder\n",
        band_fill);
    text += fmt::format("set xlabel {}\n", gnuplot_text(with_unit(name_of_dimension(options_.x), x_.unit)));
    text += range_across().settings("x");
    return text + range_upwards().settings("y");
  }

  PlotRange range_upwards() const {
    std::vector<double> ends;
    for (const Observation& each : observations_) {
      ends.push_back(shown(each.figure.value));
      ends.push_back(shown(interval(each.figure).least));
      ends.push_back(shown(interval(each.figure).greatest));
    }
    return range_of("y", ends);
  }

  PlotRange range_across() const {
    if (x_.is_numeric) return range_of("x", x_.numbers);
    return {.is_logarithmic = false, .least = -0.5, .greatest = static_cast<double>(x_.values.size()) - 0.5};
  }

  /// What stands side by side; none where numbers do.
  std::vector<std::string> names_across() const {
    std::vector<std::string> names;
    if (!x_.is_numeric)
      for (const json& value : x_.values) names.push_back(value_text(value));
    return names;
  }

  /// None where numbers are too many to have one each: the axis has its own then. The same rule as on pages,
  /// in dimensions.js; what rounding adds comes after twelve digits.
  std::vector<PlotLabels::Label> labels_across() const {
    constexpr std::size_t most_numbers = 8;
    std::vector<PlotLabels::Label> labels;
    if (x_.is_numeric && x_.numbers.size() > most_numbers) return labels;
    for (std::size_t i = 0; i < x_.values.size(); ++i)
      labels.push_back(
          {x_.numbers[i], x_.is_numeric ? fmt::format("{:.12g}", x_.numbers[i]) : value_text(x_.values[i])});
    return labels;
  }

  std::vector<KeyEntry> curves_of(const std::vector<json>& colors) const {
    std::vector<KeyEntry> curves;
    for (const json& color : colors) {
      KeyEntry curve = told_apart(name_of_value(options_.color, color), curves.size());
      if (x_.is_numeric)
        curve.dash = curves.size() / told_apart_colors.size() + 1;
      else
        curve.point_size = 1.2;  // without a line that leads to it
      curves.push_back(std::move(curve));
    }
    return curves;
  }

  std::vector<KeyEntry> key(const std::vector<json>& facets, const std::vector<json>& colors,
                            std::vector<KeyEntry> curves) const {
    KeyEntry interval{.name = "95 % interval", .color = "#888888"};
    for (const json& facet : facets)
      for (const json& color : colors) {
        const std::vector<Point> points = points_of(facet, color);
        if (!std::ranges::any_of(points, has_interval)) continue;
        if (has_band(points))
          interval.fill = band_fill;
        else
          interval.is_interval = true;
      }
    if (interval.is_interval || !interval.fill.empty()) curves.push_back(std::move(interval));
    return curves;
  }

  std::vector<std::string> titles_of(const std::vector<json>& facets) const {
    std::vector<std::string> titles;
    if (options_.facet)
      for (const json& facet : facets) titles.push_back(name_of_value(*options_.facet, facet));
    return titles;
  }

  /// Of what, as on its page, and what is the same in all of it: "scaling, workers 8".
  std::string title() const {
    std::string title = scenario_;
    for (const auto& [dimension, value] : read_conditions()) title += ", " + name_of_text(dimension, value);
    return title;
  }

  /// "ddp", "workers 8".
  std::string name_of_value(const std::string& dimension, const json& value) const {
    return name_of_text(dimension, value_text(value));
  }
  std::string name_of_text(const std::string& dimension, const std::string& value) const {
    if (dimension == algorithm_dimension) return value;
    return fmt::format("{} {}", name_of_dimension(dimension), value);
  }

  double shown(double value) const { return value / unit_.size; }

  double greatest_value() const {
    double greatest = 0;
    for (const Observation& each : observations_) greatest = std::max(greatest, std::abs(each.figure.value));
    return greatest;
  }

  static Interval interval(const SampleEstimate& estimate) {
    return interval_95_not_below_0(estimate).value_or(Interval{estimate.value, estimate.value});
  }

  /// Of a curve.
  struct Point {
    double position;
    const SampleEstimate* estimate;
  };

  static bool has_interval(const Point& point) {
    return interval(*point.estimate).greatest > interval(*point.estimate).least;
  }

  /// A band goes from one point to another, which is somewhere else on the axis; there is nothing between
  /// values without an order.
  bool has_band(const std::vector<Point>& points) const { return x_.is_numeric && points.size() > 1; }

  /// In order.
  std::vector<Point> points_of(const json& facet, const json& color) const {
    std::vector<Point> points;
    for (const Observation& each : observations_)
      if ((!options_.facet || each.values.at(*options_.facet) == facet) &&
          each.values.at(options_.color) == color)
        points.push_back({x_.number_of(each.values.at(options_.x)), &each.figure});
    std::ranges::sort(points, {}, &Point::position);
    return points;
  }

  /// The points of a curve: where, mean, least, greatest.
  std::string data(const std::string& name, const std::vector<Point>& points) const {
    std::string lines;
    for (const auto& [position, estimate] : points)
      lines += fmt::format("{} {} {} {}\n", position, shown(estimate->value),
                           shown(interval(*estimate).least), shown(interval(*estimate).greatest));
    return gnuplot_data(name, lines);
  }

  std::string part_settings(bool is_leftmost) const {
    return is_leftmost ? fmt::format("set ylabel {}\nset format y '%g'\n",
                                     gnuplot_text(with_unit(figure_.label, unit_.name)))
                       : std::string("unset ylabel\nset format y ''\n");
  }

  std::string intervals(const std::string& name, const KeyEntry& curve,
                        const std::vector<Point>& points) const {
    if (has_band(points))
      return fmt::format("{} using 1:3:4 with filledcurves lc rgb '{}'", name, curve.color);
    return points_with_bars(name, curve);
  }

  std::string means(const std::string& name, const KeyEntry& curve) const {
    const std::string line = x_.is_numeric ? fmt::format("linespoints dt {} lw 1.5", curve.dash) : "points";
    return fmt::format("{} using 1:2 with {} lc rgb '{}' pt {} ps {}", name, line, curve.color, *curve.point,
                       curve.point_size);
  }

  /// The part of the picture for a value of the facet.
  std::string part(const json& facet, std::size_t number, const std::vector<json>& colors,
                   const std::vector<KeyEntry>& curves) const {
    std::string text;
    std::vector<std::string> drawn;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const std::string name = fmt::format("$part{}curve{}", number, i);
      const std::vector<Point> points = points_of(facet, colors[i]);
      if (points.empty()) continue;  // of which gnuplot would warn
      text += data(name, points);
      if (std::ranges::any_of(points, has_interval)) drawn.push_back(intervals(name, curves[i], points));
      drawn.push_back(means(name, curves[i]));
    }
    return text + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
  }

  const SweepPlotOptions& options_;
  SweepPlan plan_;
  std::map<std::string, std::string> names_;  // of dimensions, as they are shown
  const SweepFigure& figure_;
  std::string scenario_;  // its name
  std::vector<Observation> observations_;
  PlotAxis x_;
  LeftOut left_out_;
  ShownUnit unit_;  // that the figure is shown in
};

}  // namespace

DrawnSweep sweep_plot(const SweepStore& store, const SweepPlotOptions& options,
                      const std::filesystem::path& picture) {
  const SweepPlot plot(store, options);
  return {.script = plot.script(picture), .warning = plot.warning()};
}

}  // namespace starling
