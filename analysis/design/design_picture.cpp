#include "analysis/design/design_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "io/pictures/gnuplot.hpp"

namespace starling {
namespace {

constexpr double logarithmic_from = 4;  // greatest over least

using Findings = std::span<const CandidateFinding>;

/// What a number of the picture is shown in.
struct Scale {
  double size = 1;
  std::string unit;
};

Scale price_scale(double greatest, const std::string& currency) {
  if (greatest >= 2e6) return {1e6, "million " + currency};
  if (greatest >= 2e3) return {1e3, "thousand " + currency};
  return {1, currency};
}

class Plot {
 public:
  Plot(const DesignStudy& study, const DesignSpace& space, Findings findings, const DesignAnswer& answer)
      : study_(study), space_(space), findings_(findings), answer_(answer) {
    double greatest_price = 0;
    double greatest_s = 0;
    double least_s = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < space.candidates(); ++i) {
      if (!is_tried(i)) continue;
      greatest_price = std::max(greatest_price, space.network_of(i).price);
      greatest_s = std::max(greatest_s, of(i).objective_s.value);
      least_s = std::min(least_s, of(i).objective_s.value);
    }
    is_logarithmic_ = greatest_s > logarithmic_from * least_s;
    price_ = price_scale(greatest_price, study.prices.currency);
    if (study.objective == DesignObjective::throughput)
      objective_ = {1, "samples per second"};
    else
      objective_ = greatest_s < 1 ? Scale{1e-3, "ms"} : Scale{1, "s"};
  }

  std::string script(const std::filesystem::path& picture) const {
    std::vector<std::string> drawn;
    std::string text = gnuplot_terminal(picture, 7.5, 5.0) + settings() + front(drawn);
    for (std::size_t i = 0; i < space_.algorithms.size(); ++i) text += points_of(i, drawn);
    if (study_.target)
      drawn.push_back(fmt::format("{} lc rgb '#888888' dt 2 title 'target'", shown(target_s(study_))));
    return text + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
  }

 private:
  const CandidateFinding& of(std::int64_t candidate) const {
    return findings_[static_cast<std::size_t>(candidate)];
  }
  bool is_tried(std::int64_t candidate) const { return of(candidate).state == CandidateState::tried; }

  std::string settings() const {
    std::string text =
        "set grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out\nset xrange [0:*]\n"
        "set key outside right top samplen 1.5\n";
    text += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", gnuplot_text(study_.name),
                        gnuplot_text(fmt::format("price ({})", price_.unit)), gnuplot_text(axis_name()));
    text += is_logarithmic_ ? "set logscale y\n" : "set yrange [0:*]\n";
    if (study_.budget)
      text += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead lc rgb '#888888' dt 3\n",
                          *study_.budget / price_.size);
    return text;
  }

  std::string axis_name() const {
    if (study_.objective == DesignObjective::throughput) return "throughput (samples per second)";
    return fmt::format(
        "{} ({})", study_.objective == DesignObjective::iteration_time ? "iteration time" : "time to loss",
        objective_.unit);
  }

  double shown(double objective_s) const {
    return study_.objective == DesignObjective::throughput ? 1 / objective_s : objective_s / objective_.size;
  }

  /// Price, objective, and both ends of its interval; itself where a throughput's has no upper one.
  std::string line(std::int64_t candidate) const {
    const SampleEstimate& estimate = of(candidate).objective_s;
    Interval interval = interval_95(estimate).value_or(Interval{estimate.value, estimate.value});
    if (study_.objective == DesignObjective::throughput && interval.least <= 0)
      interval.least = estimate.value;
    return fmt::format("{} {} {} {}\n", space_.network_of(candidate).price / price_.size,
                       shown(estimate.value), shown(interval.least), shown(interval.greatest));
  }

  std::string front(std::vector<std::string>& drawn) const {
    if (answer_.front.empty()) return "";
    std::string text = "$front << EOD\n";
    for (const std::int64_t candidate : answer_.front) text += line(candidate);
    drawn.push_back("$front using 1:2 with steps lc rgb '#888888' lw 1.5 title 'Pareto front'");
    return text + "EOD\n";
  }

  std::string points_of(std::size_t algorithm, std::vector<std::string>& drawn) const {
    const std::string name = fmt::format("$algorithm{}", algorithm);
    std::string lines;
    for (std::int64_t i = 0; i < space_.candidates(); ++i)
      if (is_tried(i) && static_cast<std::size_t>(i) % space_.algorithms.size() == algorithm)
        lines += line(i);
    if (lines.empty()) return "";
    drawn.push_back(fmt::format("{} using 1:2:3:4 with yerrorbars lc rgb '{}' pt {} ps 0.9 title {}", name,
                                told_apart_colors[algorithm % told_apart_colors.size()],
                                told_apart_points[algorithm % told_apart_points.size()],
                                gnuplot_text(space_.algorithms[algorithm])));
    return fmt::format("{} << EOD\n{}EOD\n", name, lines);
  }

  const DesignStudy& study_;
  const DesignSpace& space_;
  Findings findings_;
  const DesignAnswer& answer_;
  Scale price_;
  Scale objective_;
  bool is_logarithmic_ = false;
};

}  // namespace

std::string design_plot(const DesignStudy& study, const DesignSpace& space, Findings findings,
                        const DesignAnswer& answer, const std::filesystem::path& picture) {
  return Plot(study, space, findings, answer).script(picture);
}

}  // namespace starling
