#include "analysis/validation/validation_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"

namespace starling {

namespace {

/// The mean and the worst error that the validation study aims at.
constexpr double inner_band = 0.03;
constexpr double outer_band = 0.08;

std::vector<std::string> labels_of(const std::vector<ValidationCase>& cases) {
  std::vector<std::string> labels;
  for (const ValidationCase& one : cases)
    if (std::find(labels.begin(), labels.end(), one.label) == labels.end()) labels.push_back(one.label);
  return labels;
}

/// Rows of measured and predicted seconds, and of error and spread in percent.
std::string data_block(std::size_t index, const std::string& label,
                       const std::vector<ValidationCase>& cases) {
  std::string rows;
  for (const ValidationCase& one : cases)
    if (one.label == label)
      rows += fmt::format("{} {} {} {}\n", one.measured_s, one.predicted_s, 100 * one.relative_error(),
                          100 * one.coefficient_of_variation.value_or(0));
  return gnuplot_data(fmt::format("$data{}", index), rows);
}

/// Rows of measured seconds, and of the 90 % interval of the prediction as errors in percent.
std::string interval_block(const std::vector<ValidationCase>& cases) {
  std::string rows;
  for (const ValidationCase& one : cases)
    if (one.interval_90_s)
      rows += fmt::format("{} {} {}\n", one.measured_s, 100 * (one.interval_90_s->least / one.measured_s - 1),
                          100 * (one.interval_90_s->greatest / one.measured_s - 1));
  return gnuplot_data("$intervals", rows);
}

bool has_intervals(const std::vector<ValidationCase>& cases) {
  return std::ranges::any_of(cases, [](const ValidationCase& one) { return one.interval_90_s.has_value(); });
}

/// The range of the logarithmic axes: all times, and a tenth around them.
Interval time_range(const std::vector<ValidationCase>& cases) {
  double least = cases.front().measured_s;
  double greatest = least;
  for (const ValidationCase& one : cases) {
    least = std::min(least, one.measured_s);
    // A logarithmic axis has no place for a prediction of no time at all.
    if (one.predicted_s > 0) least = std::min(least, one.predicted_s);
    greatest = std::max({greatest, one.predicted_s, one.measured_s});
  }
  return {.least = least / 1.1, .greatest = greatest * 1.1};
}

double greatest_error_percent(const std::vector<ValidationCase>& cases) {
  double greatest = outer_band;
  for (const ValidationCase& one : cases) {
    greatest = std::max(greatest, std::abs(one.relative_error()) + one.coefficient_of_variation.value_or(0));
    if (!one.interval_90_s) continue;
    for (const double end_s : {one.interval_90_s->least, one.interval_90_s->greatest})
      greatest = std::max(greatest, std::abs(end_s / one.measured_s - 1));
  }
  return 100 * greatest;
}

/// The color and symbol of a label, as in other pictures.
std::string style_of(std::size_t index) {
  const KeyEntry look = distinguishable_entry("", index);
  return fmt::format("lc rgb '{}' pt {} ps 0.9", look.color, *look.point);
}

constexpr const char* interval_style = "lw 5 lc rgb '#cfd8dc'";

/// Key entries of the lower part. They are in the key of the upper part, where there is room; NaN draws
/// nothing.
std::string key_of_errors(const std::vector<ValidationCase>& cases) {
  std::string text;
  if (has_intervals(cases))
    text +=
        fmt::format(", NaN with lines {} title '90 % interval of the prediction (below)'", interval_style);
  if (std::ranges::any_of(cases, [](const ValidationCase& one) { return one.coefficient_of_variation > 0; }))
    text += ", NaN with lines lc rgb 'gray40' title 'bars: variation over measured repetitions (below)'";
  return text;
}

}  // namespace

std::string validation_plot(const Validation& validation, const std::filesystem::path& svg_file) {
  const std::vector<ValidationCase>& cases = validation.cases;
  const auto labels = labels_of(cases);
  std::string script = gnuplot_terminal(svg_file, 13, 10.4);
  for (std::size_t i = 0; i < labels.size(); ++i) script += data_block(i, labels[i], cases);
  if (has_intervals(cases)) script += interval_block(cases);

  const Interval times = time_range(cases);
  script += fmt::format(
      "set multiplot\n"
      "set lmargin at screen 0.08\nset rmargin at screen 0.62\nset grid\n"
      "set logscale xy\nset xrange [{0}:{1}]\nset yrange [{0}:{1}]\nset format x '%g'\n"
      "set xtics ({4})\nset ytics ({4})\n"
      "set key at screen 0.64, screen 0.96 left top Left reverse samplen 1\n"
      "set tmargin at screen 0.97\nset bmargin at screen 0.42\n"
      "set ylabel 'predicted iteration time (s)'\nset xlabel 'measured iteration time (s)'\n"
      "plot x title 'predicted = measured' lc rgb 'black', x*{2} notitle lc rgb 'gray40' dt 2, "
      "x/{2} title '±{3:.0f} %' lc rgb 'gray40' dt 2",
      times.least, times.greatest, 1 + outer_band, 100 * outer_band,
      fmt::join(logarithmic_marks(times.least, times.greatest), ", "));
  for (std::size_t i = 0; i < labels.size(); ++i)
    script +=
        fmt::format(", $data{} using 1:2 with points {} title {}", i, style_of(i), gnuplot_text(labels[i]));
  script += key_of_errors(cases);

  const double reach = 1.1 * greatest_error_percent(cases);
  script += fmt::format(
      "\nunset key\nunset logscale y\nset ytics autofreq\nset yrange [{0}:{1}]\n"
      "set tmargin at screen 0.34\nset bmargin at screen 0.07\n"
      "set ylabel 'predicted / measured - 1 (%)'\n"
      "plot 0 lc rgb 'black', {3} lc rgb 'gray60' dt 3, -{3} lc rgb 'gray60' dt 3, "
      "{2} lc rgb 'gray40' dt 2, -{2} lc rgb 'gray40' dt 2",
      -reach, reach, 100 * outer_band, 100 * inner_band);
  if (has_intervals(cases))
    script += fmt::format(", $intervals using 1:2:(0):($3-$2) with vectors nohead {}", interval_style);
  for (std::size_t i = 0; i < labels.size(); ++i)
    script += fmt::format(", $data{} using 1:3:4 with yerrorbars {}", i, style_of(i));
  return script + "\nunset multiplot\n";
}

void draw_validation(const Validation& validation, const std::filesystem::path& svg_file) {
  const std::string script = validation_plot(validation, svg_file);
  run_gnuplot(script, svg_file);
}

}  // namespace starling
