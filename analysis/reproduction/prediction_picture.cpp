#include "analysis/reproduction/prediction_picture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "analysis/reproduction/prediction_intervals.hpp"
#include "io/pictures/gnuplot.hpp"

namespace starling {
namespace {

constexpr double width_in = 9;
constexpr double row_in = 0.035;
constexpr double frame_in = 1.6;
// What is farther off is drawn at the edge, with its id and how far it is.
constexpr double greatest_ratio = 2;

/// As a column of data: nothing in it ends it.
std::string quoted(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }, '_');
  return fmt::format("\"{}\"", text);
}

/// What an entry is called beside its point: with the ratio, where the point is not at it.
std::string label_of(const std::string& id, double ratio) {
  if (ratio >= 1 / greatest_ratio && ratio <= greatest_ratio) return quoted(id);
  return quoted(fmt::format("{} ({:.2f})", id, ratio));
}

/// Entries with a ratio, by paper in the order of their first ones.
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

  /// Lines of "row ratio least greatest id" of those that `wanted` picks.
  std::vector<std::string> lines(const std::function<bool(const EntryOutcome&)>& wanted) const {
    std::vector<std::string> all;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const EntryOutcome& outcome = *rows_[row];
      if (!wanted(outcome)) continue;
      const double predicted = *outcome.predicted;
      const double ratio = *outcome.entry->value / predicted;
      const Interval interval = outcome.interval_90.value_or(Interval{predicted, predicted});
      all.push_back(fmt::format(
          "{} {} {} {} {}\n", row, std::clamp(ratio, 1 / greatest_ratio, greatest_ratio),
          interval.least / predicted, interval.greatest / predicted, label_of(outcome.entry->id, ratio)));
    }
    return all;
  }

 private:
  std::vector<const EntryOutcome*> rows_;
  std::vector<Paper> papers_;
};

bool has_interval(const EntryOutcome& outcome) { return outcome.interval_90.has_value(); }
bool is_outside(const EntryOutcome& outcome) { return has_interval(outcome) && !outcome.is_inside(); }

/// What is drawn of some rows, over what came before.
struct Drawing {
  std::string name;
  std::function<bool(const EntryOutcome&)> holds;
  std::vector<std::string> elements;  // of a plot, as gnuplot has them
};

std::vector<Drawing> all_drawings() {
  const std::string label = "using ({}?$2:1/0):1:5 with labels {} font ',7' tc rgb '#d55e00' notitle";
  return {{"intervals",
           has_interval,
           {"using 3:1:($4-$3):(0) with vectors nohead lw 2 lc rgb '#cfd8dc' title '90 % interval'"}},
          {"predictions",
           [](const EntryOutcome& outcome) { return !outcome.is_calibration; },
           {"using 2:1 with points pt 7 ps 0.35 lc rgb '#0072b2' title 'predictions'"}},
          {"calibrations",
           [](const EntryOutcome& outcome) { return outcome.is_calibration; },
           {"using 2:1 with points pt 7 ps 0.35 lc rgb '#8cc8ee' title 'profiles were fitted to them'"}},
          {"outside",
           is_outside,
           {"using 2:1 with points pt 6 ps 0.7 lc rgb '#d55e00' title 'outside'",
            fmt::format(fmt::runtime(label), "$2<0.6||($2>1&&$2<1.6)", "left offset 0.8,0"),
            fmt::format(fmt::runtime(label), "$2>=1.6||($2<=1&&$2>=0.6)", "right offset -0.8,0")}}};
}

/// The papers' names between their rows, in place of numbers.
std::string paper_marks(const Rows& rows) {
  std::vector<std::string> marks;
  std::string lines;
  for (const Rows::Paper& paper : rows.papers()) {
    const std::string name = paper.name.substr(0, paper.name.find(" ("));
    marks.push_back(
        fmt::format("{} {}", gnuplot_text(name), static_cast<double>(paper.first + paper.end - 1) / 2));
    lines +=
        fmt::format("set arrow from graph 0, first {0} to graph 1, first {0} nohead lt 1 lc rgb '#bbbbbb'\n",
                    static_cast<double>(paper.end) - 0.5);
  }
  return fmt::format("set ytics ({})\n{}", fmt::join(marks, ", "), lines);
}

/// Nothing where no prediction has an interval.
std::string title_setting(const std::vector<EntryOutcome>& outcomes) {
  const Coverage coverage = coverage_of_predictions(outcomes);
  if (coverage.with_interval == 0) return "";
  return fmt::format("set title {}\n",
                     gnuplot_text(fmt::format("{} of {} predictions inside of their 90 % interval",
                                              coverage.inside, coverage.with_interval)));
}

}  // namespace

std::string reproduction_plot(const std::vector<EntryOutcome>& outcomes,
                              const std::filesystem::path& picture) {
  const Rows rows(outcomes);
  const double height_in = frame_in + row_in * static_cast<double>(rows.size());
  std::string data;
  std::vector<std::string> drawn;
  for (const Drawing& part : all_drawings()) {
    const std::vector<std::string> lines = rows.lines(part.holds);
    if (lines.empty()) continue;
    data += fmt::format("${} << EOD\n{}EOD\n", part.name, fmt::join(lines, ""));
    for (const std::string& element : part.elements)
      drawn.push_back(fmt::format("${} {}", part.name, element));
  }
  return gnuplot_terminal(picture, width_in, height_in) + data + paper_marks(rows) +
         fmt::format(
             "{}set xlabel 'published / predicted'\nset logscale x\nset xrange [{}:{}]\n"
             "set xtics (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2)\nset grid xtics lc rgb "
             "'#dddddd'\n"
             "set border 3\nset tics nomirror out\nset yrange [{}:-1]\n"
             "set key outside bottom center horizontal samplen 1\nplot {}\n",
             title_setting(outcomes), 1 / (1.05 * greatest_ratio), 1.05 * greatest_ratio, rows.size(),
             fmt::join(drawn, ", \\\n  "));
}

}  // namespace starling
