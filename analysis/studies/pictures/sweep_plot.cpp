#include "analysis/studies/pictures/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/json/json_text.hpp"
#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"
#include "io/pictures/plot_axes.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr const char* band_fill = "transparent solid 0.2";
constexpr double part_in = 2.4;  // height of a panel

PlotAxis axis_of(const std::vector<Observation>& observations, const std::string& dimension) {
  std::vector<json> values;
  for (const Observation& each : observations)
    if (std::ranges::find(values, each.values.at(dimension)) == values.end())
      values.push_back(each.values.at(dimension));
  return axis_through(std::move(values));
}

/// The values of a dimension in the order in which curves or panels are shown.
std::vector<json> ordered_values(const std::vector<Observation>& observations, const std::string& dimension) {
  const PlotAxis axis = axis_of(observations, dimension);
  std::vector<json> values = axis.values;
  std::ranges::stable_sort(values, {}, [&](const json& value) { return axis.number_of(value); });
  return values;
}

class SweepPlot {
 public:
  SweepPlot(const SweepObservations& observations, const SweepPlotOptions& options)
      : options_(options),
        observed_(observations),
        x_(axis_of(observations.points, options.x)),
        unit_(unit_for(observations.figure.unit, greatest_value())) {}

  std::string script(const std::filesystem::path& picture) const {
    const std::vector<json> facets =
        options_.facet ? ordered_values(observed_.points, *options_.facet) : std::vector<json>{nullptr};
    const std::vector<json> colors = ordered_values(observed_.points, options_.color);
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

 private:
  std::string common_settings() const {
    std::string text = fmt::format(
        "set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out\nset style fill {} noborder\n",
        band_fill);
    text += fmt::format("set xlabel {}\n", gnuplot_text(with_unit(observed_.names.at(options_.x), x_.unit)));
    text += range_across().settings("x");
    return text + range_upwards().settings("y");
  }

  PlotRange range_upwards() const {
    std::vector<double> ends;
    for (const Observation& each : observed_.points) {
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

  /// The names of values that stand side by side; empty if the axis is numeric.
  std::vector<std::string> names_across() const {
    std::vector<std::string> names;
    if (!x_.is_numeric)
      for (const json& value : x_.values) names.push_back(value_text(value));
    return names;
  }

  /// A label for each value across; none if there are more than eight numbers, where gnuplot labels the axis.
  /// dimensions.js has the same rule for report pages. Twelve digits hide rounding errors.
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
      KeyEntry curve = distinguishable_entry(name_of_value(options_.color, color), curves.size());
      if (x_.is_numeric)
        curve.dash = curves.size() / distinguishable_colors.size() + 1;
      else
        curve.point_size = 1.2;  // larger, as no line leads to the point
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

  /// The scenario's name and the conditions that all points meet: "scaling, workers 8".
  std::string title() const {
    std::string title = observed_.scenario;
    for (const auto& [dimension, value] : observed_.conditions)
      title += ", " + name_of_text(dimension, value);
    return title;
  }

  /// "ddp", "workers 8".
  std::string name_of_value(const std::string& dimension, const json& value) const {
    return name_of_text(dimension, value_text(value));
  }
  std::string name_of_text(const std::string& dimension, const std::string& value) const {
    if (dimension == algorithm_dimension) return value;
    return fmt::format("{} {}", observed_.names.at(dimension), value);
  }

  double shown(double value) const { return value / unit_.size; }

  double greatest_value() const {
    double greatest = 0;
    for (const Observation& each : observed_.points)
      greatest = std::max(greatest, std::abs(each.figure.value));
    return greatest;
  }

  static Interval interval(const SampleEstimate& estimate) {
    return interval_95_not_below_0(estimate).value_or(Interval{estimate.value, estimate.value});
  }

  /// A point of a curve.
  struct Point {
    double position;  // along x
    const SampleEstimate* estimate;
  };

  static bool has_interval(const Point& point) {
    return interval(*point.estimate).greatest > interval(*point.estimate).least;
  }

  /// Whether intervals are drawn as a band, which needs two points and an axis whose values have an order.
  bool has_band(const std::vector<Point>& points) const { return x_.is_numeric && points.size() > 1; }

  /// The points of a curve in a panel, in order of x.
  std::vector<Point> points_of(const json& facet, const json& color) const {
    std::vector<Point> points;
    for (const Observation& each : observed_.points)
      if ((!options_.facet || each.values.at(*options_.facet) == facet) &&
          each.values.at(options_.color) == color)
        points.push_back({x_.number_of(each.values.at(options_.x)), &each.figure});
    std::ranges::sort(points, {}, &Point::position);
    return points;
  }

  /// The points of a curve as a data block: x, mean, and the ends of the interval.
  std::string data(const std::string& name, const std::vector<Point>& points) const {
    std::string lines;
    for (const auto& [position, estimate] : points)
      lines += fmt::format("{} {} {} {}\n", position, shown(estimate->value),
                           shown(interval(*estimate).least), shown(interval(*estimate).greatest));
    return gnuplot_data(name, lines);
  }

  std::string part_settings(bool is_leftmost) const {
    return is_leftmost ? fmt::format("set ylabel {}\nset format y '%g'\n",
                                     gnuplot_text(with_unit(observed_.figure.label, unit_.name)))
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

  /// The panel for a value of the facet, the `number`-th.
  std::string part(const json& facet, std::size_t number, const std::vector<json>& colors,
                   const std::vector<KeyEntry>& curves) const {
    std::string text;
    std::vector<std::string> drawn;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const std::string name = fmt::format("$part{}curve{}", number, i);
      const std::vector<Point> points = points_of(facet, colors[i]);
      if (points.empty()) continue;  // gnuplot warns of empty data
      text += data(name, points);
      if (std::ranges::any_of(points, has_interval)) drawn.push_back(intervals(name, curves[i], points));
      drawn.push_back(means(name, curves[i]));
    }
    return text + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
  }

  const SweepPlotOptions& options_;
  const SweepObservations& observed_;
  PlotAxis x_;
  ShownUnit unit_;  // of the figure
};

}  // namespace

DrawnSweep sweep_plot(const SweepStore& store, const SweepPlotOptions& options,
                      const std::filesystem::path& picture) {
  const SweepObservations observations = observe(store, options);
  return {.script = SweepPlot(observations, options).script(picture), .warning = observations.warning};
}

}  // namespace starling
