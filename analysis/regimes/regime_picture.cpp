#include "analysis/regimes/regime_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"
#include "io/pictures/text_lines.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

constexpr double map_height_in = 2.2;
constexpr std::array<int, 4> hatchings{4, 5, 1, 2};  // gnuplot's patterns

std::string variation_text(double variation) { return fmt::format("{:.4g}", variation); }
std::string ratio_text(double ratio) { return fmt::format("{:.6g}", ratio); }

/// The size of a map; numbers of the y axis stand only left of the first map of a row.
PartSize map_size(const RegimeStudy& study) {
  double widest_in = 0;
  for (const double variation : study.variations)
    widest_in = std::max(widest_in, width_of(variation_text(variation)));
  return {.width_in = columns_of(study.workers.size()) == 1 ? 4.6 : 2.6,
          .height_in = map_height_in,
          .above_in = 0.35,
          .below_in = 0.8,
          .gap_in = 0.55,
          .left_in = left_of_numbers_in(widest_in)};
}

/// The look of fields whose fastest algorithm is the `algorithm`-th.
KeyEntry field_look(std::string name, std::size_t algorithm) {
  KeyEntry look = distinguishable_entry(std::move(name), algorithm);
  look.point.reset();
  const std::size_t round = algorithm / distinguishable_colors.size();
  look.fill = round == 0 ? "solid" : fmt::format("pattern {}", hatchings[(round - 1) % hatchings.size()]);
  return look;
}

/// A color such as "#0072B2" at an opacity of 40 % on white.
std::string pale(const std::string& color) {
  std::string text = "#";
  for (const std::size_t begin : {1U, 3U, 5U}) {
    const int part = std::stoi(color.substr(begin, 2), nullptr, 16);
    text += fmt::format("{:02X}", 255 - 4 * (255 - part) / 10);
  }
  return text;
}

const KeyEntry confirmed_look{.name = "simulated (all others: by the model)", .point = 7, .point_size = 0.35};
const KeyEntry contradicted_look{
    .name = "simulated; the model predicts another algorithm", .point = 2, .point_size = 0.7};

/// The edges of fields: half-way between the values of an axis, and half a step beyond its ends.
std::vector<double> edges(const std::vector<double>& values) {
  if (values.size() == 1) return {values[0] - 0.5, values[0] + 0.5};
  std::vector<double> result{values[0] - (values[1] - values[0]) / 2};
  for (std::size_t i = 1; i < values.size(); ++i) result.push_back((values[i - 1] + values[i]) / 2);
  result.push_back(values.back() + (values.back() - result.back()));
  return result;
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log10(value);
  return values;
}

/// The label at a number of an axis, and the length of the axis that it takes, with the gap to the next one.
struct Tick {
  std::string text;
  double taken;
};

/// Ticks, as gnuplot takes them, at those of these ascending numbers whose labels do not overlap.
std::string tick_settings(const std::vector<double>& numbers, const auto& tick_at) {
  std::vector<std::string> shown;
  double end = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Tick tick = tick_at(i);
    if (numbers[i] - tick.taken / 2 < end) continue;
    shown.push_back(fmt::format("\"{}\" {}", tick.text, numbers[i]));
    end = numbers[i] + tick.taken / 2;
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

/// Draws the maps of a study.
class Maps {
 public:
  Maps(const RegimeStudy& study, const RegimeMap& map)
      : study_(study),
        map_(map),
        ratios_(logarithms(study.ratios)),
        ratio_edges_(edges(ratios_)),
        variation_edges_(edges(study.variations)) {}

  std::string script(const std::filesystem::path& picture) const {
    const PictureLayout layout(study_.workers.size(), map_size(study_), study_.name, key());
    std::string text = gnuplot_terminal(picture, layout.width_in(), layout.height_in()) + settings() +
                       "set multiplot\n" + layout.head();
    for (std::size_t w = 0; w < study_.workers.size(); ++w) {
      text += layout.place(w) + axis_upwards(layout.is_leftmost(w)) + map_of(w);
      if (w == 0) text += PictureLayout::without_head();
    }
    return text + "unset multiplot\n";
  }

 private:
  const RegimePoint& point(std::size_t w, std::size_t v, std::size_t r) const {
    return map_.points[(w * study_.variations.size() + v) * ratios_.size() + r];
  }

  std::vector<KeyEntry> key() const {
    std::vector<KeyEntry> entries;
    const auto any = [&](auto holds) { return std::ranges::any_of(map_.points, holds); };
    for (std::size_t i = 0; i < map_.algorithms.size(); ++i) {
      const auto at = std::ranges::count(map_.points, i, &RegimePoint::fastest);
      if (at > 0) entries.push_back(field_look(fmt::format("{}: fastest at {}", map_.algorithms[i], at), i));
    }
    if (any([](const RegimePoint& point) { return !point.is_decided(); }))
      entries.push_back(
          {.name = "pale: not certainly faster than the second", .color = pale("#888888"), .fill = "solid"});
    if (any(is_confirmed)) entries.push_back(confirmed_look);
    if (any(is_contradicted)) entries.push_back(contradicted_look);
    return entries;
  }

  static bool is_confirmed(const RegimePoint& point) {
    return point.is_simulated && point.fastest == point.fastest_by_model;
  }
  static bool is_contradicted(const RegimePoint& point) {
    return point.is_simulated && point.fastest != point.fastest_by_model;
  }

  std::string settings() const {
    return fmt::format(
        "set border lw 0.5\nset tics nomirror out\nset xrange [{}:{}]\nset yrange [{}:{}]\nset xtics ({})\n",
        ratio_edges_.front(), ratio_edges_.back(), variation_edges_.front(), variation_edges_.back(),
        ratio_ticks());
  }

  /// The y axis, which is the same for all maps.
  std::string axis_upwards(bool is_leftmost) const {
    return fmt::format("{}\nset ytics ({})\n",
                       is_leftmost ? "set ylabel \"coefficient of variation\"" : "unset ylabel",
                       variation_ticks(is_leftmost));
  }

  /// Ticks at round numbers, or at the ratios themselves if fewer than two round numbers lie among them.
  std::string ratio_ticks() const {
    std::vector<double> marks =
        logarithmic_marks(std::pow(10, ratio_edges_.front()), std::pow(10, ratio_edges_.back()));
    if (marks.size() < 2) marks = study_.ratios;
    const double inch = (ratio_edges_.back() - ratio_edges_.front()) / map_size(study_).width_in;
    return tick_settings(logarithms(marks), [&](std::size_t i) -> Tick {
      const std::string text = ratio_text(marks[i]);
      return {.text = text, .taken = inch * (width_of(text) + letter_in)};
    });
  }

  /// Ticks at the variations themselves. Without texts, they have the places that ticks with texts would
  /// have.
  std::string variation_ticks(bool have_texts) const {
    const double inch = (variation_edges_.back() - variation_edges_.front()) / map_height_in;
    return tick_settings(study_.variations, [&](std::size_t i) -> Tick {
      return {.text = have_texts ? variation_text(study_.variations[i]) : "", .taken = inch * line_in};
    });
  }

  /// The fields where an algorithm is the fastest, either the decided or the undecided ones.
  std::string boxes(std::size_t w, std::size_t algorithm, bool is_decided) const {
    std::string lines;
    for (std::size_t v = 0; v < study_.variations.size(); ++v)
      for (std::size_t r = 0; r < ratios_.size(); ++r)
        if (const RegimePoint& at = point(w, v, r); at.fastest == algorithm && at.is_decided() == is_decided)
          lines += fmt::format("{} {} {} {} {} {}\n", ratios_[r], study_.variations[v], ratio_edges_[r],
                               ratio_edges_[r + 1], variation_edges_[v], variation_edges_[v + 1]);
    return lines;
  }

  std::string marks(std::size_t w, bool (*is_marked)(const RegimePoint&)) const {
    std::string lines;
    for (std::size_t v = 0; v < study_.variations.size(); ++v)
      for (std::size_t r = 0; r < ratios_.size(); ++r)
        if (is_marked(point(w, v, r))) lines += fmt::format("{} {}\n", ratios_[r], study_.variations[v]);
    return lines;
  }

  std::string map_of(std::size_t w) const {
    std::string data;
    std::vector<std::string> drawn;
    const auto add = [&](const std::string& name, const std::string& lines, const std::string& how) {
      if (lines.empty()) return;
      data += gnuplot_data(name, lines);
      drawn.push_back(fmt::format("{} {}", name, how));
    };
    for (std::size_t i = 0; i < map_.algorithms.size(); ++i)
      for (const bool is_decided : {true, false}) {
        const KeyEntry look = field_look("", i);
        add(fmt::format("${}{}", is_decided ? "decided" : "open", i), boxes(w, i, is_decided),
            fmt::format("using 1:2:3:4:5:6 with boxxyerror fc rgb '{}' fs {} noborder",
                        is_decided ? look.color : pale(look.color), look.fill));
      }
    // With a white edge they can be seen on every field.
    const auto add_marks = [&](const std::string& name, const KeyEntry& look, const std::string& lines) {
      const auto points = [&](const char* color, double wider) {
        return fmt::format("using 1:2 with points pt {} ps {} lw {} lc rgb '{}'", *look.point,
                           look.point_size + 0.2 * wider, 1 + 2 * wider, color);
      };
      add(name, lines, fmt::format("{}, {} {}", points("white", 1), name, points("black", 0)));
    };
    add_marks("$confirmed", confirmed_look, marks(w, is_confirmed));
    add_marks("$contradicted", contradicted_look, marks(w, is_contradicted));
    return fmt::format("{}set title \"{}\"\nset xlabel \"communication / compute\"\nplot {}\n", data,
                       counted(study_.workers[w], "worker"), fmt::join(drawn, ", \\\n  "));
  }

  const RegimeStudy& study_;
  const RegimeMap& map_;
  std::vector<double> ratios_;  // their logarithms
  std::vector<double> ratio_edges_;
  std::vector<double> variation_edges_;
};

}  // namespace

std::string regimes_plot(const RegimeStudy& study, const RegimeMap& map,
                         const std::filesystem::path& picture) {
  return Maps(study, map).script(picture);
}

}  // namespace starling
