#include "analysis/studies/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/studies/sweep_figures.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "analysis/studies/value_numbers.hpp"
#include "base/near_key.hpp"
#include "io/pictures/gnuplot.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr double logarithmic_from = 20;  // greatest over least
constexpr std::string_view algorithm_dimension = "algorithm";

[[noreturn]] void refuse(const std::string& option, const std::string& problem, const std::string& got,
                         const std::string& expected) {
  throw ScenarioError({option, "", problem, got, expected});
}

/// What an algorithm achieved in a combination, by dimension.
struct Observation {
  std::map<std::string, json> values;
  SampleEstimate figure;
};

/// A unit that a figure is shown in.
struct ShownUnit {
  double size = 1;
  std::string name;
};

ShownUnit unit_for(const std::string& unit, double greatest) {
  if (unit == "s") {
    if (greatest < 1e-3) return {1e-6, "µs"};
    if (greatest < 1) return {1e-3, "ms"};
    return {1, "s"};
  }
  if (unit == "B") {
    if (greatest >= 1e9) return {1e9, "GB"};
    if (greatest >= 1e6) return {1e6, "MB"};
    if (greatest >= 1e3) return {1e3, "kB"};
    return {1, "B"};
  }
  return {1, unit};
}

std::string with_unit(const std::string& label, const std::string& unit) {
  return unit.empty() ? label : fmt::format("{} ({})", label, unit);
}

/// Values of a dimension along an axis.
struct Axis {
  std::vector<json> values;     // in order
  std::vector<double> numbers;  // where each is
  bool is_numeric = false;
  std::string unit;

  double number_of(const json& value) const {
    return numbers[static_cast<std::size_t>(std::ranges::find(values, value) - values.begin())];
  }
};

ShownUnit unit_of_quantities(Dimension dimension, double greatest) {
  if (dimension == Dimension::time) return unit_for("s", greatest);
  return dimension == Dimension::size ? unit_for("B", greatest) : ShownUnit{.size = 1e9 / 8, .name = "Gb/s"};
}

/// Whether all values are numbers, or quantities of one dimension; sets where they are.
bool set_numbers(Axis& axis) {
  const std::optional<ValueNumbers> found = numbers_of(axis.values);
  if (!found) return false;
  axis.numbers = found->numbers;
  if (!found->dimension) return true;
  const ShownUnit unit = unit_of_quantities(*found->dimension, std::ranges::max(axis.numbers));
  for (double& number : axis.numbers) number /= unit.size;
  axis.unit = unit.name;
  return true;
}

Axis axis_of(const std::vector<Observation>& observations, const std::string& dimension) {
  Axis axis;
  for (const Observation& each : observations)
    if (std::ranges::find(axis.values, each.values.at(dimension)) == axis.values.end())
      axis.values.push_back(each.values.at(dimension));
  axis.is_numeric = set_numbers(axis);
  if (!axis.is_numeric) {
    for (std::size_t i = 0; i < axis.values.size(); ++i) axis.numbers.push_back(static_cast<double>(i));
  }
  return axis;
}

/// The values of a dimension in the order in which curves or parts are shown.
std::vector<json> ordered_values(const std::vector<Observation>& observations, const std::string& dimension) {
  const Axis axis = axis_of(observations, dimension);
  std::vector<json> values = axis.values;
  std::ranges::stable_sort(values, {}, [&](const json& value) { return axis.number_of(value); });
  return values;
}

std::string name_of_dimension(const std::string& dimension) {
  if (dimension == algorithm_dimension) return dimension;
  std::string name = dimension.substr(dimension.rfind('/') + 1);
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// Where the parts of a picture are: side by side, at most three, then below; the names of the curves above
/// all. In inches.
class Layout {
 public:
  Layout(std::size_t parts, std::size_t curves, bool has_titles)
      : columns_(std::min<std::size_t>(3, parts)),
        rows_((parts + columns_ - 1) / columns_),
        key_rows_(curves),  // gnuplot leaves out what does not fit, and names may be of any length
        title_in_(has_titles ? 0.3 : 0.08) {}

  double width_in() const { return left_in + static_cast<double>(columns_) * (part_width() + gap_in); }
  double height_in() const { return key_in() + static_cast<double>(rows_) * row_in(); }
  bool is_leftmost(std::size_t part) const { return part % columns_ == 0; }

  /// Gnuplot's settings for a part.
  std::string place(std::size_t part) const {
    const double left = left_in + static_cast<double>(part % columns_) * (part_width() + gap_in);
    const double top = height_in() - key_in() - static_cast<double>(part / columns_) * row_in() - title_in_;
    return fmt::format(
        "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen "
        "{}\n",
        left / width_in(), (left + part_width()) / width_in(), top / height_in(),
        (top - part_in) / height_in());
  }
  std::string key() const {
    return fmt::format("set key at screen 0.5, screen {} center top vertical samplen 2 maxrows {}\n",
                       1 - 0.06 / height_in(), key_rows_);
  }

 private:
  static constexpr double left_in = 0.85;
  static constexpr double gap_in = 0.2;
  static constexpr double part_in = 2.4;  // high
  static constexpr double below_in = 0.65;

  double part_width() const { return columns_ == 1 ? 4.6 : 2.8; }
  double row_in() const { return title_in_ + part_in + below_in; }
  double key_in() const { return 0.1 + 0.24 * static_cast<double>(key_rows_); }

  std::size_t columns_;
  std::size_t rows_;
  std::size_t key_rows_;
  double title_in_;
};

class SweepPlot {
 public:
  SweepPlot(const SweepStore& store, const SweepPlotOptions& options)
      : options_(options), plan_(store.plan()), figure_(figure_named(options.y)) {
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
    const std::vector<json> curves = ordered_values(observations_, options_.color);
    const Layout layout(facets.size(), curves.size(), options_.facet.has_value());
    std::string text = gnuplot_terminal(picture, layout.width_in(), layout.height_in()) + common_settings() +
                       "set multiplot\n";
    for (std::size_t i = 0; i < facets.size(); ++i)
      text += layout.place(i) + part(facets[i], i, layout, curves);
    return text + "unset multiplot\n";
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

  void collect(const SweepStore& store) {
    const auto index = static_cast<std::size_t>(&figure_ - sweep_figures().data());
    const auto conditions = read_conditions();
    bool is_met_by_some = false;
    for_each_combination(store, [&](std::int64_t combination, const std::vector<SweepRun>& runs) {
      const std::vector<json> values = plan_.values(combination);
      for (const SweepSummary& summary : summaries_of(runs)) {
        Observation observation;
        for (std::size_t i = 0; i < values.size(); ++i) observation.values[plan_.pointers()[i]] = values[i];
        observation.values[std::string(algorithm_dimension)] = summary.algorithm;
        const auto is_met = [&](const auto& condition) {
          return value_text(observation.values.at(condition.first)) == condition.second;
        };
        if (!std::ranges::all_of(conditions, is_met)) continue;
        is_met_by_some = true;
        if (!summary.figures[index]) continue;
        observation.figure = *summary.figures[index];
        observations_.push_back(std::move(observation));
      }
    });
    if (!conditions.empty() && !is_met_by_some)
      refuse("--where", "no run meets this", fmt::format("{}", fmt::join(options_.where, " ")),
             "values that the sweep has");
    if (observations_.empty())
      refuse("--y", "no run has this figure", options_.y, "another one, or other values of --where");
  }

  std::vector<std::pair<std::string, std::string>> read_conditions() const {
    std::vector<std::pair<std::string, std::string>> conditions;
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

  /// Values that go together with a shown one need no place of their own.
  void check_all_is_shown() const {
    std::map<std::vector<json>, std::set<std::string>> found;
    for (const Observation& each : observations_) {
      std::vector<json> shown;
      std::string hidden;
      for (const auto& [dimension, value] : each.values)
        if (is_shown(dimension))
          shown.push_back(value);
        else
          hidden += value_text(value) + '\n';
      found[shown].insert(hidden);
    }
    if (std::ranges::all_of(found, [](const auto& each) { return each.second.size() == 1; })) return;
    std::vector<std::string> others;
    for (const std::string& dimension : dimensions())
      if (!is_shown(dimension) && ordered_values(observations_, dimension).size() > 1)
        others.push_back(dimension);
    refuse("plot", "more varies than is shown", fmt::format("{}", fmt::join(others, ", ")),
           "--color or --facet of it, or --where with one of its values");
  }

  std::string common_settings() const {
    std::string text =
        "set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out\nset style fill transparent solid "
        "0.2 noborder\n";
    text += fmt::format("set xlabel {}\n", gnuplot_text(with_unit(name_of_dimension(options_.x), x_.unit)));
    if (x_.is_numeric) {
      text += range_settings("x", x_.numbers);
      if (x_.numbers.size() <= 8) text += ticks(x_);
    } else {
      text += fmt::format("set xrange [-0.5:{}]\n", static_cast<double>(x_.values.size()) - 0.5) + ticks(x_);
    }
    std::vector<double> ends;
    for (const Observation& each : observations_) {
      ends.push_back(shown(each.figure.value));
      ends.push_back(shown(interval(each.figure).least));
      ends.push_back(shown(interval(each.figure).greatest));
    }
    return text + range_settings("y", ends);
  }

  static bool is_logarithmic(const std::vector<double>& numbers) {
    const auto [least, greatest] = std::ranges::minmax_element(numbers);
    return *least > 0 && *greatest / *least > logarithmic_from;
  }

  /// Three or more, each as many times the one before: 8, 16, 32.
  static bool are_multiples(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    if (numbers.size() < 3 || numbers.front() <= 0) return false;
    const double factor = numbers[1] / numbers[0];
    for (std::size_t i = 2; i < numbers.size(); ++i)
      if (std::abs(numbers[i] / numbers[i - 1] - factor) > 0.01 * factor) return false;
    return true;
  }

  static std::string range_settings(const std::string& name, const std::vector<double>& numbers) {
    const auto [least, greatest] = std::ranges::minmax_element(numbers);
    if (is_logarithmic(numbers) || (name == "x" && are_multiples(numbers)))
      return fmt::format("set logscale {0}\nset {0}range [{1}:{2}]\n", name, *least / 1.15, *greatest * 1.15);
    const double reach = *greatest > *least ? *greatest - *least : std::max(1.0, std::abs(*greatest));
    if (name == "y")
      return fmt::format("set yrange [{}:{}]\n", std::min(0.0, *least), *greatest + 0.05 * reach);
    return fmt::format("set xrange [{}:{}]\n", *least - 0.04 * reach, *greatest + 0.04 * reach);
  }

  static std::string ticks(const Axis& axis) {
    std::vector<std::string> marks;
    for (std::size_t i = 0; i < axis.values.size(); ++i)
      marks.push_back(fmt::format("{} {}",
                                  axis.is_numeric ? gnuplot_text(fmt::format("{:.4g}", axis.numbers[i]))
                                                  : gnuplot_text(value_text(axis.values[i])),
                                  axis.numbers[i]));
    return fmt::format("set xtics ({})\n", fmt::join(marks, ", "));
  }

  double shown(double value) const { return value / unit_.size; }

  double greatest_value() const {
    double greatest = 0;
    for (const Observation& each : observations_) greatest = std::max(greatest, std::abs(each.figure.value));
    return greatest;
  }

  static Interval interval(const SampleEstimate& estimate) {
    return interval_95(estimate).value_or(Interval{estimate.value, estimate.value});
  }

  /// The points of a curve: where, mean, least, greatest, in order.
  std::string data(const std::string& name, const json& facet, const json& color) const {
    std::vector<std::pair<double, const SampleEstimate*>> points;
    for (const Observation& each : observations_)
      if ((!options_.facet || each.values.at(*options_.facet) == facet) &&
          each.values.at(options_.color) == color)
        points.emplace_back(x_.number_of(each.values.at(options_.x)), &each.figure);
    std::ranges::sort(points, {}, &std::pair<double, const SampleEstimate*>::first);
    std::string text = fmt::format("{} << EOD\n", name);
    for (const auto& [position, estimate] : points)
      text += fmt::format("{} {} {} {}\n", position, shown(estimate->value), shown(interval(*estimate).least),
                          shown(interval(*estimate).greatest));
    return text + "EOD\n";
  }

  /// The part of the picture for a value of the facet; curves are named in the first one.
  std::string part(const json& facet, std::size_t number, const Layout& layout,
                   const std::vector<json>& curves) const {
    std::string text;
    std::vector<std::string> drawn;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const std::string name = fmt::format("$part{}curve{}", number, i);
      text += data(name, facet, curves[i]);
      const char* color = told_apart_colors[i % told_apart_colors.size()];
      drawn.push_back(fmt::format("{} using 1:3:4 with filledcurves lc rgb '{}' notitle", name, color));
      drawn.push_back(fmt::format(
          "{} using 1:2 with linespoints lc rgb '{}' pt {} dt {} lw 1.5 ps 0.8 title {}", name, color,
          told_apart_points[i % told_apart_points.size()], i / told_apart_colors.size() + 1,
          gnuplot_text(
              options_.color == algorithm_dimension
                  ? value_text(curves[i])
                  : fmt::format("{} {}", name_of_dimension(options_.color), value_text(curves[i])))));
    }
    text += layout.is_leftmost(number) ? fmt::format("set ylabel {}\nset format y '%g'\n",
                                                     gnuplot_text(with_unit(figure_.label, unit_.name)))
                                       : std::string("unset ylabel\nset format y ''\n");
    text += number == 0 ? layout.key() : "unset key\n";
    if (options_.facet)
      text += fmt::format(
          "set title {}\n",
          gnuplot_text(options_.facet == algorithm_dimension
                           ? value_text(facet)
                           : fmt::format("{} {}", name_of_dimension(*options_.facet), value_text(facet))));
    return text + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
  }

  const SweepPlotOptions& options_;
  SweepPlan plan_;
  const SweepFigure& figure_;
  std::vector<Observation> observations_;
  Axis x_;
  ShownUnit unit_;  // that the figure is shown in
};

}  // namespace

std::string sweep_plot(const SweepStore& store, const SweepPlotOptions& options,
                       const std::filesystem::path& picture) {
  return SweepPlot(store, options).script(picture);
}

}  // namespace starling
