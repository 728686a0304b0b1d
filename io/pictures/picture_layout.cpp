#include "io/pictures/picture_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "io/pictures/gnuplot.hpp"
#include "io/pictures/text_lines.hpp"

namespace starling {
namespace {

constexpr double margin_in = 0.1;
constexpr double sample_in = 0.5;
constexpr double name_from_in = 0.6;
constexpr double apart_in = 0.2;  // names

}  // namespace

KeyEntry distinguishable_entry(std::string name, std::size_t number) {
  const std::size_t round = number / distinguishable_colors.size();
  return {.name = std::move(name),
          .color = distinguishable_colors[number % distinguishable_colors.size()],
          .point = distinguishable_points[(number + round) % distinguishable_points.size()]};
}

std::string points_with_bars(const std::string& data, const KeyEntry& look) {
  return fmt::format("{} using 1:2:3:4 with yerrorbars lc rgb '{}' pt {} ps {}", data, look.color,
                     *look.point, look.point_size);
}

double left_of_numbers_in(double widest_in) {
  constexpr double without_numbers_in = 0.57;  // tick marks and the label of the axis
  return std::max(PartSize{}.left_in, without_numbers_in + widest_in);
}

std::vector<double> logarithmic_marks(double least, double greatest) {
  constexpr double most_decades_with_digits = 2.5;
  constexpr double most_decades = 10;
  const double decades = std::log10(greatest / least);
  const bool has_digits = decades < most_decades_with_digits;
  const double step = std::max(1.0, std::ceil(decades / most_decades));
  std::vector<double> marks;
  for (double power = step * std::floor(std::log10(least) / step); power <= std::log10(greatest);
       power += step)
    for (const double digit : {1.0, 2.0, 5.0}) {
      // Not digit * pow(10, -1), which is not 0.2 or 0.5.
      const double mark = power < 0 ? digit / std::pow(10, -power) : digit * std::pow(10, power);
      if (mark >= least && mark <= greatest && (digit < 2 || has_digits)) marks.push_back(mark);
    }
  return marks;
}

std::size_t columns_of(std::size_t parts) { return std::min<std::size_t>(3, parts); }

double PictureLayout::Entry::bottom_in() const {
  return top_in + line_in * static_cast<double>(lines.size());
}

PictureLayout::PictureLayout(std::size_t parts, const PartSize& size, const std::string& title,
                             const std::vector<KeyEntry>& entries)
    : columns_(columns_of(parts)), rows_((parts + columns_ - 1) / columns_), size_(size) {
  head_in_ = margin_in / 2;
  if (!title.empty()) {
    title_ = lines_of(title, static_cast<std::size_t>((width_in() - 2 * margin_in) / letter_in));
    head_in_ += line_in * static_cast<double>(title_.size()) + margin_in;
  }
  place_entries(entries);
  head_in_ += margin_in;
}

void PictureLayout::place_entries(const std::vector<KeyEntry>& entries) {
  double longest_in = 0;
  for (const KeyEntry& entry : entries) longest_in = std::max(longest_in, width_of(entry.name));
  const double fitting = std::floor(width_in() / (name_from_in + longest_in + apart_in));
  const auto columns = static_cast<std::size_t>(
      std::clamp<double>(fitting, 1, std::max<double>(1, static_cast<double>(entries.size()))));
  const std::size_t rows = (entries.size() + columns - 1) / columns;
  const auto letters = static_cast<std::size_t>((width_in() - name_from_in - apart_in) / letter_in);
  const double top_in = head_in_;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t column = i / rows;
    const double left =
        margin_in + static_cast<double>(column) * (width_in() - margin_in) / static_cast<double>(columns);
    entries_.push_back({entries[i], lines_of(entries[i].name, letters), left,
                        i % rows == 0 ? top_in : entries_.back().bottom_in()});
    head_in_ = std::max(head_in_, entries_.back().bottom_in());
  }
}

double PictureLayout::width_in() const {
  return size_.left_in + static_cast<double>(columns_) * (size_.width_in + size_.gap_in);
}

double PictureLayout::height_in() const { return head_in_ + static_cast<double>(rows_) * row_in(); }

std::string PictureLayout::at(double left, double top) const {
  return fmt::format("screen {}, screen {}", left / width_in(), 1 - top / height_in());
}

std::string PictureLayout::sample(const Entry& entry) const {
  const KeyEntry& look = entry.look;
  const double left = entry.left_in;
  const double right = left + sample_in;
  const double across = left + sample_in / 2;
  const double middle = entry.top_in + line_in / 2;
  std::string text;
  if (!look.fill.empty())
    text += fmt::format("set object rectangle from {} to {} fc rgb '{}' fs {} noborder\n",
                        at(left, middle + 0.3 * line_in), at(right, middle - 0.3 * line_in), look.color,
                        look.fill);
  if (look.dash > 0)
    text += fmt::format("set arrow from {} to {} nohead lc rgb '{}' dt {} lw 1.5\n", at(left, middle),
                        at(right, middle), look.color, look.dash);
  if (look.is_interval)
    text += fmt::format("set arrow from {} to {} heads size screen {},90 lc rgb '{}'\n",
                        at(across, middle + 0.4 * line_in), at(across, middle - 0.4 * line_in),
                        0.04 / width_in(), look.color);
  if (look.point)
    text += fmt::format("set label '' at {} point pt {} ps {} lc rgb '{}'\n", at(across, middle), *look.point,
                        look.point_size, look.color);
  return text;
}

std::string PictureLayout::head() const {
  std::string text = "unset key\n";
  const auto write = [&](const std::string& line, double left, double middle) {
    text += fmt::format("set label {} at {} left\n", gnuplot_text(line), at(left, middle));
  };
  for (std::size_t i = 0; i < title_.size(); ++i)
    write(title_[i], margin_in, margin_in / 2 + line_in * (static_cast<double>(i) + 0.5));
  for (const Entry& entry : entries_) {
    text += sample(entry);
    for (std::size_t i = 0; i < entry.lines.size(); ++i)
      write(entry.lines[i], entry.left_in + name_from_in,
            entry.top_in + line_in * (static_cast<double>(i) + 0.5));
  }
  return text;
}

std::string PictureLayout::place(std::size_t part) const {
  const double left = size_.left_in + static_cast<double>(part % columns_) * (size_.width_in + size_.gap_in);
  const std::size_t row = part / columns_;
  const double top = head_in_ + static_cast<double>(row) * row_in() + size_.above_in;
  return fmt::format(
      "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen "
      "{}\n",
      left / width_in(), (left + size_.width_in) / width_in(), 1 - top / height_in(),
      1 - (top + size_.height_in) / height_in());
}

}  // namespace starling
