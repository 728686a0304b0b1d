#include "analysis/reproduction/prediction_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/reproduction/prediction_intervals.hpp"
#include "io/pictures/gnuplot.hpp"
#include "io/pictures/picture_layout.hpp"
#include "io/pictures/text_lines.hpp"

namespace starling {
namespace {

constexpr double part_width_in = 5.9;
constexpr double row_in = 0.035;
constexpr double least_height_in = 0.8;
constexpr double paper_in = 0.19;  // the height of a paper's name
// Sizes of the ids' small letters.
constexpr double id_size = 7;
constexpr double id_letter_in = 0.046;
constexpr double id_line_in = 0.11;
constexpr double id_from_point_in = 0.08;
// Points with greater ratios, or smaller reciprocals, are drawn at the edge, with their id and ratio.
constexpr double greatest_ratio = 2;
constexpr double end_of_axis = 1.05 * greatest_ratio;

double clamped(double ratio, double greatest) { return std::clamp(ratio, 1 / greatest, greatest); }

/// The text beside an entry's point: its id, and its ratio if that lies beyond the edge.
std::string name_beside(const std::string& id, double ratio) {
  if (ratio >= 1 / greatest_ratio && ratio <= greatest_ratio) return id;
  return fmt::format("{} ({:.2f})", id, ratio);
}

/// An entry of the picture.
struct Row {
  double row;          // from above
  double shown_ratio;  // published over predicted, clamped to the edges
  Interval interval;   // over the prediction, clamped to the axis
  std::string name;
};

/// The compared entries, grouped by paper in the order of the papers' first entries.
class Rows {
 public:
  explicit Rows(const std::vector<EntryOutcome>& outcomes) {
    for (const PaperSummary& summary : paper_summaries(outcomes)) {
      const std::size_t first = rows_.size();
      for (const EntryOutcome& outcome : outcomes)
        if (outcome.entry->paper == summary.paper && outcome.status == EntryStatus::compared)
          rows_.push_back(&outcome);
      if (rows_.size() > first) papers_.push_back({summary.paper, first, rows_.size()});
    }
  }

  struct Paper {
    std::string name;
    std::size_t first;
    std::size_t end;
  };

  std::size_t size() const { return rows_.size(); }
  const std::vector<Paper>& papers() const { return papers_; }

  /// The rows of entries for which `wanted` is true.
  std::vector<Row> picked(const std::function<bool(const EntryOutcome&)>& wanted) const {
    std::vector<Row> rows;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const EntryOutcome& outcome = *rows_[row];
      if (!wanted(outcome)) continue;
      const double predicted = *outcome.predicted;
      const double ratio = *outcome.entry->value / predicted;
      const Interval interval = outcome.interval_90.value_or(Interval{predicted, predicted});
      rows.push_back({.row = static_cast<double>(row),
                      .shown_ratio = clamped(ratio, greatest_ratio),
                      .interval = {.least = clamped(interval.least / predicted, end_of_axis),
                                   .greatest = clamped(interval.greatest / predicted, end_of_axis)},
                      .name = name_beside(outcome.entry->id, ratio)});
    }
    return rows;
  }

  double height_in() const {
    return std::max({row_in * static_cast<double>(rows_.size()),
                     1.5 * paper_in * static_cast<double>(papers_.size()), least_height_in});
  }
  /// A height in units of rows. There is room for one row above the first, and below the last.
  double rows_of(double inches) const {
    return inches / height_in() * (static_cast<double>(rows_.size()) + 1);
  }

 private:
  std::vector<const EntryOutcome*> rows_;
  std::vector<Paper> papers_;
};

constexpr const char* outside_color = "#d55e00";

bool has_interval(const EntryOutcome& outcome) { return outcome.interval_90.has_value(); }
bool is_outside(const EntryOutcome& outcome) { return has_interval(outcome) && !outcome.is_inside(); }

/// A layer of the picture: which rows it draws, over the layers before it, and its entry in the key.
struct Drawing {
  std::string data;
  std::function<bool(const EntryOutcome&)> holds;
  std::string plot;  // gnuplot's plot element
  KeyEntry look;
};

std::vector<Drawing> all_drawings() {
  const auto points = [](const KeyEntry& look) {
    return fmt::format("using 2:1 with points pt {} ps {} lc rgb '{}'", *look.point, look.point_size,
                       look.color);
  };
  const KeyEntry interval{.name = "90 % interval", .color = "#cfd8dc", .fill = "solid 1"};
  const KeyEntry prediction{.name = "predictions", .color = "#0072b2", .point = 7, .point_size = 0.35};
  const KeyEntry calibration{
      .name = "values that profiles were fitted to", .color = "#8cc8ee", .point = 7, .point_size = 0.35};
  const KeyEntry outside{
      .name = "outside the interval", .color = outside_color, .point = 6, .point_size = 0.7};
  return {
      {"$intervals", has_interval,
       fmt::format("using 3:1:($4-$3):(0) with vectors nohead lw 2 lc rgb '{}'", interval.color), interval},
      {"$predictions", [](const EntryOutcome& outcome) { return !outcome.is_calibration; },
       points(prediction), prediction},
      {"$calibrations", [](const EntryOutcome& outcome) { return outcome.is_calibration; },
       points(calibration), calibration},
      {"$outside", is_outside, points(outside), outside}};
}

std::string data_of(const std::string& name, const std::vector<Row>& rows) {
  std::string lines;
  for (const Row& row : rows)
    lines +=
        fmt::format("{} {} {} {}\n", row.row, row.shown_ratio, row.interval.least, row.interval.greatest);
  return gnuplot_data(name, lines);
}

/// Places ids beside the points of rows so that they do not cover points or other ids; a line leads to an id
/// that had to be moved.
class Ids {
 public:
  Ids(const std::vector<Row>& rows, const Rows& all) {
    for (const Row& row : rows) points_.push_back({across_in(row.shown_ratio), row.row / all.rows_of(1)});
    for (std::size_t i = 0; i < rows.size(); ++i) place(rows[i], points_[i], all);
  }

  /// The gnuplot settings of all labels and lines.
  std::string settings() const { return settings_; }

 private:
  struct Place {
    double across_in;
    double down_in;
  };
  struct Box {
    double left_in;
    double right_in;
    double middle_in;  // from above

    bool touches(const Box& other) const {
      return left_in < other.right_in && other.left_in < right_in &&
             std::abs(middle_in - other.middle_in) < id_line_in;
    }
    bool holds(const Place& point) const {
      constexpr double radius_in = 0.05;
      return point.across_in > left_in - radius_in && point.across_in < right_in + radius_in &&
             std::abs(point.down_in - middle_in) < id_line_in / 2 + radius_in;
    }
  };

  static double across_in(double ratio) {
    return part_width_in * std::log(ratio * end_of_axis) / (2 * std::log(end_of_axis));
  }
  static double ratio_at(double across) {
    return std::exp(across / part_width_in * 2 * std::log(end_of_axis)) / end_of_axis;
  }

  /// Whether the label goes to the right of its point: away from ratio 1, if there is room.
  static bool goes_right(double ratio, double from_in, double width) {
    const bool fits_right = from_in + id_from_point_in + width <= part_width_in;
    const bool fits_left = from_in - id_from_point_in - width >= 0;
    return ratio > 1 ? fits_right || !fits_left : !fits_left && fits_right;
  }

  bool is_free(const Box& box, const Place& own) const {
    const auto is_hit = [&](const Place& point) { return &point != &own && box.holds(point); };
    return std::ranges::none_of(boxes_, [&](const Box& other) { return box.touches(other); }) &&
           std::ranges::none_of(points_, is_hit);
  }

  void place(const Row& row, const Place& point, const Rows& all) {
    const double width = id_letter_in * static_cast<double>(row.name.size());
    const bool is_right = goes_right(row.shown_ratio, point.across_in, width);
    const double start = point.across_in + (is_right ? id_from_point_in : -id_from_point_in);
    Box box{is_right ? start : start - width, is_right ? start + width : start, point.down_in};
    constexpr double step_in = id_line_in / 4;
    constexpr int most_steps = 60;
    for (int step = 1; step < most_steps && !is_free(box, point); ++step)
      box.middle_in = point.down_in + (step % 2 == 0 ? -step_in : step_in) * ((step + 1) / 2);
    boxes_.push_back(box);
    const double label_row = box.middle_in * all.rows_of(1);
    settings_ += fmt::format("set label {} at {},{} {} font ',{}' tc rgb '{}'\n", gnuplot_text(row.name),
                             ratio_at(start), label_row, is_right ? "left" : "right", id_size, outside_color);
    if (box.middle_in != point.down_in)
      settings_ += fmt::format("set arrow from {},{} to {},{} nohead lw 0.5 lc rgb '{}'\n", row.shown_ratio,
                               row.row, ratio_at(start), label_row, outside_color);
  }

  std::vector<Place> points_;
  std::vector<Box> boxes_;
  std::string settings_;
};

std::string short_name_of(const Rows::Paper& paper) { return paper.name.substr(0, paper.name.find(" (")); }

/// The papers' names beside the middle of their rows, or as near as the names above and below allow.
std::string paper_marks(const Rows& rows) {
  std::string text;
  double next_free = -1;
  double left = rows.rows_of(paper_in) * static_cast<double>(rows.papers().size());
  for (const Rows::Paper& paper : rows.papers()) {
    left -= rows.rows_of(paper_in);
    const double middle = static_cast<double>(paper.first + paper.end - 1) / 2;
    const double end = static_cast<double>(rows.size()) - rows.rows_of(paper_in) / 2;
    const double place = std::max(next_free, std::min(middle, end - left));
    next_free = place + rows.rows_of(paper_in);
    text += fmt::format("set label {} at graph 0, first {} right offset -1,0\n",
                        gnuplot_text(short_name_of(paper)), place);
    text +=
        fmt::format("set arrow from graph 0, first {0} to graph 1, first {0} nohead lt 1 lc rgb '#bbbbbb'\n",
                    static_cast<double>(paper.end) - 0.5);
  }
  return text;
}

double left_of_papers_in(const Rows& rows) {
  double widest = 0;
  for (const Rows::Paper& paper : rows.papers()) widest = std::max(widest, width_of(short_name_of(paper)));
  return std::max(1.0, widest + 0.3);
}

/// The coverage of the intervals; empty where no prediction has one.
std::string title_of(const std::vector<EntryOutcome>& outcomes) {
  const Coverage coverage = coverage_of_predictions(outcomes);
  if (coverage.with_interval == 0) return "";
  return fmt::format("{} of {} published values within the 90 % interval of their prediction",
                     coverage.inside, coverage.with_interval);
}

}  // namespace

std::string reproduction_plot(const std::vector<EntryOutcome>& outcomes,
                              const std::filesystem::path& picture) {
  const Rows rows(outcomes);
  std::string data;
  std::vector<std::string> drawn;
  std::vector<KeyEntry> key;
  for (const Drawing& part : all_drawings()) {
    const std::vector<Row> picked = rows.picked(part.holds);
    if (picked.empty()) continue;
    data += data_of(part.data, picked);
    drawn.push_back(fmt::format("{} {}", part.data, part.plot));
    key.push_back(part.look);
  }
  const PictureLayout layout(1,
                             {.width_in = part_width_in,
                              .height_in = rows.height_in(),
                              .above_in = 0.1,
                              .below_in = 0.72,
                              .gap_in = 0.3,
                              .left_in = left_of_papers_in(rows)},
                             title_of(outcomes), key);
  return gnuplot_terminal(picture, layout.width_in(), layout.height_in()) + data + layout.head() +
         layout.place(0) + paper_marks(rows) + Ids(rows.picked(is_outside), rows).settings() +
         fmt::format(
             "set xlabel 'published / predicted'\nset logscale x\nset xrange [{}:{}]\n"
             "set xtics (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2)\nset grid xtics lc rgb "
             "'#dddddd'\nset border 3\nset tics nomirror out\nunset ytics\nset yrange [{}:-1]\nplot {}\n",
             1 / end_of_axis, end_of_axis, rows.size(), fmt::join(drawn, ", \\\n  "));
}

}  // namespace starling
