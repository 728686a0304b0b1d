#include "io/pictures/plot_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"
#include "io/pictures/text_lines.hpp"
#include "io/pictures/value_numbers.hpp"

namespace starling {

using nlohmann::json;

namespace {

// The least ratio of greatest to least number for a logarithmic axis; for one whose values multiply.
constexpr double logarithmic_from = 20;
constexpr double multiples_from = 4;
constexpr std::size_t most_letters_upright = 40;  // in a line
constexpr double most_upright_in = letter_in * most_letters_upright;

ShownUnit unit_of_quantities(Dimension dimension, double greatest) {
  if (dimension == Dimension::time) return unit_for("s", greatest);
  return dimension == Dimension::size ? unit_for("B", greatest) : ShownUnit{.size = 1e9 / 8, .name = "Gb/s"};
}

/// Sets the positions of the values. False unless all are numbers, or quantities of one dimension.
bool set_numbers(PlotAxis& axis) {
  const std::optional<ValueNumbers> found = numbers_of(axis.values);
  if (!found) return false;
  axis.numbers = found->numbers;
  if (!found->dimension) return true;
  const ShownUnit unit = unit_of_quantities(*found->dimension, std::ranges::max(axis.numbers));
  for (double& number : axis.numbers) number /= unit.size;
  axis.unit = unit.name;
  return true;
}

/// The width of vertical texts side by side.
double upright_in(const std::vector<std::string>& texts) {
  std::size_t lines = 0;
  for (const std::string& text : texts) lines += lines_of(text, most_letters_upright).size();
  return line_in * static_cast<double>(lines);
}

/// The distance of the numbers that gnuplot marks on a linear axis, by its own rule; it marks fewer if it has
/// no room.
double step_of_tics(double reach) {
  const double power = std::pow(10, std::floor(std::log10(reach)));
  const double digit = reach / power;
  if (digit < 2) return 0.2 * power;
  return digit < 5 ? 0.5 * power : power;
}

bool spans_much(const std::vector<double>& numbers) {
  const auto [least, greatest] = std::ranges::minmax_element(numbers);
  return *least > 0 && *greatest / *least >= logarithmic_from;
}

/// Whether three or more numbers multiply rather than add up, as 8, 16, 32 and 4, 8, 64 do, so that a
/// logarithmic scale puts the closest two further apart. The same rule as in dimensions.js for reports.
bool are_multiples(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  if (numbers.size() < 3 || numbers.front() <= 0 || numbers.back() < multiples_from * numbers.front())
    return false;
  const PlotRange plain{.least = numbers.front(), .greatest = numbers.back()};
  const PlotRange logarithm{.is_logarithmic = true, .least = plain.least, .greatest = plain.greatest};
  const auto least_step = [&](const PlotRange& range) {
    double least = 1;
    for (std::size_t i = 1; i < numbers.size(); ++i)
      least = std::min(least, range.share_of(numbers[i]) - range.share_of(numbers[i - 1]));
    return least;
  };
  return least_step(logarithm) > least_step(plain);
}

}  // namespace

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

double PlotAxis::number_of(const json& value) const {
  return numbers[static_cast<std::size_t>(std::ranges::find(values, value) - values.begin())];
}

PlotAxis axis_through(std::vector<json> values) {
  PlotAxis axis{.values = std::move(values)};
  axis.is_numeric = set_numbers(axis);
  if (!axis.is_numeric) {
    for (std::size_t i = 0; i < axis.values.size(); ++i) axis.numbers.push_back(static_cast<double>(i));
  }
  return axis;
}

std::string broken_text(const std::vector<std::string>& lines) {
  std::vector<std::string> texts;
  for (const std::string& line : lines) texts.push_back(gnuplot_text(line));
  return fmt::format("{}", fmt::join(texts, ".\"\\n\"."));
}

double PlotRange::share_of(double number) const {
  if (is_logarithmic) return std::log(number / least) / std::log(greatest / least);
  return (number - least) / (greatest - least);
}

double PlotRange::number_width_in() const {
  double widest_in = 0;
  const auto write = [&](double number) {
    widest_in = std::max(widest_in, width_of(fmt::format("{:g}", number)));
  };
  if (is_logarithmic) {
    for (const double mark : logarithmic_marks(least, greatest)) write(mark);
  } else {
    const double step = step_of_tics(greatest - least);
    for (double steps = std::ceil(least / step); steps <= greatest / step; ++steps) write(steps * step);
  }
  return widest_in;
}

std::string PlotRange::settings(const std::string& name) const {
  if (!is_logarithmic) return fmt::format("set {}range [{}:{}]\n", name, least, greatest);
  return fmt::format("set logscale {0}\nset {0}range [{1}:{2}]\nset {0}tics ({3})\n", name, least, greatest,
                     fmt::join(logarithmic_marks(least, greatest), ", "));
}

PlotRange range_of(const std::string& name, const std::vector<double>& numbers) {
  const auto [least, greatest] = std::ranges::minmax_element(numbers);
  if (spans_much(numbers) || (name == "x" && are_multiples(numbers)))
    return {.is_logarithmic = true, .least = *least / 1.15, .greatest = *greatest * 1.15};
  const double reach = *greatest > *least ? *greatest - *least : std::max(1.0, std::abs(*greatest));
  if (name == "y") return {.least = std::min(0.0, *least), .greatest = *greatest + 0.05 * reach};
  return {.least = *least - 0.04 * reach, .greatest = *greatest + 0.04 * reach};
}

PlotLabels::PlotLabels(std::vector<Label> labels, const PlotRange& range, double part_width)
    : labels_(std::move(labels)), range_(range), part_width_in_(part_width) {
  std::ranges::sort(labels_, {}, &Label::number);
  are_upright_ = some_touch(&PlotLabels::lying_in) && !some_touch(&PlotLabels::standing_in);
  if (are_upright_) {
    below_in_ = 0.6;
    for (const Label& label : labels_)
      below_in_ = std::max(below_in_, 0.6 + 1.15 * std::min(width_of(label.text), most_upright_in));
  } else {
    leave_out_what_touches();
    gap_in_ = labels_.empty() ? 0.5 : std::max(gap_in_, both_halves_in(0, labels_.size() - 1));
  }
}

std::string PlotLabels::settings() const {
  if (labels_.empty()) return "";
  std::vector<std::string> marks;
  for (const Label& label : labels_)
    marks.push_back(fmt::format(
        "{} {}",
        are_upright_ ? broken_text(lines_of(label.text, most_letters_upright)) : gnuplot_text(label.text),
        label.number));
  return fmt::format("set xtics {}({})\n", are_upright_ ? "rotate by 90 right " : "", fmt::join(marks, ", "));
}

double PlotLabels::distance_in(std::size_t from, std::size_t to) const {
  return part_width_in_ * (range_.share_of(labels_[to].number) - range_.share_of(labels_[from].number));
}

double PlotLabels::both_halves_in(std::size_t one, std::size_t other) const {
  return (width_of(labels_[one].text) + width_of(labels_[other].text)) / 2;
}

double PlotLabels::lying_in(std::size_t one, std::size_t other) const {
  return both_halves_in(one, other) + letter_in;
}

double PlotLabels::standing_in(std::size_t one, std::size_t other) const {
  return 0.95 * upright_in({labels_[one].text, labels_[other].text}) / 2;
}

bool PlotLabels::some_touch(double (PlotLabels::*needed_in)(std::size_t, std::size_t) const) const {
  for (std::size_t i = 1; i < labels_.size(); ++i)
    if (distance_in(i - 1, i) < (this->*needed_in)(i - 1, i)) return true;
  return false;
}

void PlotLabels::leave_out_what_touches() {
  std::size_t last = 0;
  for (std::size_t i = 1; i < labels_.size(); ++i)
    if (distance_in(last, i) < lying_in(last, i))
      labels_[i].text.clear();
    else
      last = i;
}

double part_width_in(std::size_t parts, const std::vector<std::string>& upright) {
  double most_in = 0;
  for (std::size_t i = 1; i < upright.size(); ++i)
    most_in = std::max(most_in, upright_in({upright[i - 1], upright[i]}) / 2);
  return std::max(columns_of(parts) == 1 ? 4.6 : 2.8, most_in * static_cast<double>(upright.size()));
}

std::vector<std::vector<std::string>> broken_titles(const std::vector<std::string>& titles,
                                                    double part_width) {
  std::vector<std::vector<std::string>> broken;
  for (const std::string& title : titles)
    broken.push_back(lines_of(title, static_cast<std::size_t>(part_width / letter_in)));
  return broken;
}

double above_part_in(const std::vector<std::vector<std::string>>& titles) {
  std::size_t lines = 0;
  for (const std::vector<std::string>& title : titles) lines = std::max(lines, title.size());
  return 0.08 + line_in * static_cast<double>(lines);
}

}  // namespace starling
