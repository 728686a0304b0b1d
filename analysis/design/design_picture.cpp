#include "analysis/design/design_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"

namespace starling {
namespace {

constexpr double logarithmic_from = 4;  // ratio of the greatest to the least objective

constexpr PartSize plot_size{
    .width_in = 6.2, .height_in = 3.8, .above_in = 0.08, .below_in = 0.75, .gap_in = 0.25};
// The looks of all but points. Each has a color of its own, as gnuplot draws arrows of the same color as one
// line, with the dashes of only one of them.
const KeyEntry interval_look{.name = "95 % interval", .color = "#555555", .is_interval = true};
const KeyEntry front_look{.name = "Pareto front", .color = "#888888", .dash = 1};
const KeyEntry target_look{.name = "target", .color = "#666666", .dash = 2};
const KeyEntry budget_look{.name = "budget", .color = "#777777", .dash = 3};

/// The unit in which numbers of the picture are shown.
struct Scale {
  double size = 1;
  std::string unit;
};

Scale price_scale(double greatest, const std::string& currency) {
  if (greatest >= 2e6) return {1e6, "million " + currency};
  if (greatest >= 2e3) return {1e3, "thousand " + currency};
  return {1, currency};
}

class Plot : DesignFound {
 public:
  explicit Plot(const DesignFound& found) : DesignFound(found) {
    double greatest_s = 0;
    double least_s = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < space.candidates(); ++i) {
      if (!is_drawn(i)) continue;
      greatest_price_ = std::max(greatest_price_, space.network_of(i).price);
      greatest_s = std::max(greatest_s, of(i).objective_s.value);
      least_s = std::min(least_s, of(i).objective_s.value);
    }
    is_logarithmic_ = least_s > 0 && greatest_s > logarithmic_from * least_s;
    price_ = price_scale(greatest_price_, study.prices.currency);
    if (study.objective == DesignObjective::throughput)
      objective_ = {1, "samples per second"};
    else
      objective_ = greatest_s < 1 ? Scale{1e-3, "ms"} : Scale{1, "s"};
  }

  std::string script(const std::filesystem::path& picture) const {
    std::vector<std::string> drawn;
    std::vector<KeyEntry> key;
    std::string data = front(drawn);
    for (std::size_t i = 0; i < space.algorithms.size(); ++i) data += points_of(i, drawn, key);
    if (key.empty()) return "";
    for (std::size_t i = 0; i < space.algorithms.size(); ++i) data += points_on_front(i, drawn);
    if (study.target)
      drawn.push_back(
          fmt::format("{} lc rgb '{}' dt {}", shown(target_s(study)), target_look.color, target_look.dash));
    add_lines(key);
    const PictureLayout layout(1, plot_size, study.name, key);
    return gnuplot_terminal(picture, layout.width_in(), layout.height_in()) + settings() + layout.head() +
           layout.place(0) + data + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
  }

 private:
  /// Whether a candidate is drawn: samples that take no time have an infinite throughput, which is not.
  bool is_drawn(std::int64_t candidate) const {
    return is_tried(candidate) &&
           (study.objective != DesignObjective::throughput || of(candidate).objective_s.value > 0);
  }

  /// Whether the budget is drawn: not if it is far above all prices, which would then be drawn close
  /// together.
  bool shows_budget() const { return study.budget && *study.budget < 2 * greatest_price_; }

  std::string settings() const {
    const double greatest_price = std::max(greatest_price_, shows_budget() ? *study.budget : 0);
    std::string text =
        fmt::format("set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out\nset xrange [0:{}]\n",
                    greatest_price > 0 ? 1.05 * greatest_price / price_.size : 1);
    text += fmt::format("set xlabel {}\nset ylabel {}\n",
                        gnuplot_text(fmt::format("price ({})", price_.unit)), gnuplot_text(axis_name()));
    text += axis_upwards();
    if (shows_budget())
      text += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead lc rgb '{1}' dt {2}\n",
                          *study.budget / price_.size, budget_look.color, budget_look.dash);
    return text;
  }

  /// The y axis, whose range is that of its points: gnuplot would extend it to powers of ten, and finds no
  /// range if all are zero.
  std::string axis_upwards() const {
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0;
    const auto include = [&](double number) {
      if (number <= 0 || !std::isfinite(number))
        return;  // the end of an interval that reaches beyond the axis
      least = std::min(least, number);
      greatest = std::max(greatest, number);
    };
    for (std::int64_t i = 0; i < space.candidates(); ++i) {
      if (!is_drawn(i)) continue;
      include(shown(of(i).objective_s.value));
      include(shown_interval(i).least);
      include(shown_interval(i).greatest);
    }
    if (study.target) include(shown(target_s(study)));
    if (!is_logarithmic_) return fmt::format("set yrange [0:{}]\n", greatest > 0 ? 1.05 * greatest : 1);
    constexpr double margin = 1.2;
    least /= margin;
    greatest *= margin;
    return fmt::format("set logscale y\nset yrange [{}:{}]\nset ytics ({})\n", least, greatest,
                       fmt::join(logarithmic_marks(least, greatest), ", "));
  }

  std::string axis_name() const {
    if (study.objective == DesignObjective::throughput) return "throughput (samples per second)";
    return fmt::format("{} ({})",
                       study.objective == DesignObjective::iteration_time ? "iteration time" : "time to loss",
                       objective_.unit);
  }

  double shown(double objective_s) const {
    return study.objective == DesignObjective::throughput ? 1 / objective_s : objective_s / objective_.size;
  }

  /// The interval of the objective in seconds. Where the interval of a throughput would have no upper end, it
  /// ends at the mean.
  Interval interval(std::int64_t candidate) const {
    const SampleEstimate& estimate = of(candidate).objective_s;
    Interval interval = interval_95_not_below_0(estimate).value_or(Interval{estimate.value, estimate.value});
    if (study.objective == DesignObjective::throughput && interval.least <= 0)
      interval.least = estimate.value;
    return interval;
  }

  Interval shown_interval(std::int64_t candidate) const {
    return {.least = shown(interval(candidate).least), .greatest = shown(interval(candidate).greatest)};
  }

  bool has_intervals() const {
    for (std::int64_t i = 0; i < space.candidates(); ++i)
      if (is_drawn(i) && interval(i).greatest > interval(i).least) return true;
    return false;
  }

  /// A line of data: price, objective, and both ends of its interval.
  std::string line(std::int64_t candidate) const {
    return fmt::format("{} {} {} {}\n", space.network_of(candidate).price / price_.size,
                       shown(of(candidate).objective_s.value), shown_interval(candidate).least,
                       shown_interval(candidate).greatest);
  }

  std::string front(std::vector<std::string>& drawn) const {
    std::string lines;
    for (const std::int64_t candidate : answer.front)
      if (is_drawn(candidate)) lines += line(candidate);
    if (lines.empty()) return "";
    drawn.push_back(fmt::format("$front using 1:2 with steps lc rgb '{}' dt {} lw 1.5", front_look.color,
                                front_look.dash));
    return gnuplot_data("$front", lines);
  }

  bool is_of(std::int64_t candidate, std::size_t algorithm) const {
    return static_cast<std::size_t>(candidate) % space.algorithms.size() == algorithm;
  }

  std::string points_of(std::size_t algorithm, std::vector<std::string>& drawn,
                        std::vector<KeyEntry>& key) const {
    const std::string name = fmt::format("$algorithm{}", algorithm);
    std::string lines;
    for (std::int64_t i = 0; i < space.candidates(); ++i)
      if (is_drawn(i) && is_of(i, algorithm)) lines += line(i);
    if (lines.empty()) return "";
    const KeyEntry look = distinguishable_entry(space.algorithms[algorithm], algorithm);
    drawn.push_back(points_with_bars(name, look));
    key.push_back(look);
    return gnuplot_data(name, lines);
  }

  /// Draws the points of the front once more, larger and above all others, so that none hides them.
  std::string points_on_front(std::size_t algorithm, std::vector<std::string>& drawn) const {
    const std::string name = fmt::format("$front{}", algorithm);
    std::string lines;
    for (const std::int64_t candidate : answer.front)
      if (is_drawn(candidate) && is_of(candidate, algorithm)) lines += line(candidate);
    if (lines.empty()) return "";
    KeyEntry look = distinguishable_entry("", algorithm);
    look.point_size = 1.4;
    drawn.push_back(points_with_bars(name, look));
    return gnuplot_data(name, lines);
  }

  void add_lines(std::vector<KeyEntry>& key) const {
    if (has_intervals()) key.push_back(interval_look);
    if (!answer.front.empty()) key.push_back(front_look);
    if (study.target) key.push_back(target_look);
    if (shows_budget()) key.push_back(budget_look);
  }

  double greatest_price_ = 0;
  Scale price_;
  Scale objective_;
  bool is_logarithmic_ = false;
};

}  // namespace

std::string design_plot(const DesignFound& found, const std::filesystem::path& picture) {
  return Plot(found).script(picture);
}

}  // namespace starling
