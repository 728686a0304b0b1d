#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// A unit in which numbers are shown.
struct ShownUnit {
  double size = 1;
  std::string name = {};
};

/// The best unit for showing numbers up to `greatest`, which are given in `unit`.
ShownUnit unit_for(const std::string& unit, double greatest);

/// "iteration time (ms)".
std::string with_unit(const std::string& label, const std::string& unit);

/// Values along an axis.
struct PlotAxis {
  std::vector<nlohmann::json> values = {};  // in order
  std::vector<double> numbers = {};         // the position of each value on the axis
  bool is_numeric = false;
  std::string unit = {};

  double number_of(const nlohmann::json& value) const;
};

/// An axis for these values: numbers and quantities at their positions, other values at 0, 1, 2, ….
PlotAxis axis_through(std::vector<nlohmann::json> values);

/// A gnuplot expression for a text of several lines; single-quoted texts cannot contain line breaks.
std::string broken_text(const std::vector<std::string>& lines);

/// The interval that an axis shows, and its scale.
struct PlotRange {
  bool is_logarithmic = false;
  double least = 0;
  double greatest = 1;

  /// The position of a number on the axis: 0 at its beginning, 1 at its end.
  double share_of(double number) const;
  /// The width in inches of the widest number that gnuplot writes along the axis.
  double number_width_in() const;
  /// Gnuplot's settings for the axis called `name`, "x" or "y".
  std::string settings(const std::string& name) const;
};

/// The range of axis `name`, "x" or "y", for these numbers, with a margin. Logarithmic if all are positive
/// and the greatest is at least 20 times the least; "x" also if they multiply rather than add up, as 4, 8, 64
/// do. Otherwise "y" begins at 0, or below if some numbers are negative.
PlotRange range_of(const std::string& name, const std::vector<double>& numbers);

/// The labels of an x axis with their positions, and the space that they need. If horizontal labels would
/// overlap, all are vertical; if vertical ones would overlap as well, labels stay horizontal and some are
/// left out.
class PlotLabels {
 public:
  struct Label {
    double number;
    std::string text;
  };

  /// With no labels, gnuplot chooses them. `part_width` is in inches.
  PlotLabels(std::vector<Label> labels, const PlotRange& range, double part_width);

  double below_in() const { return below_in_; }
  double gap_in() const { return gap_in_; }  // between parts
  std::string settings() const;

 private:
  double distance_in(std::size_t from, std::size_t to) const;
  double both_halves_in(std::size_t one, std::size_t other) const;
  /// The least distance in inches of two horizontal labels, and of two vertical ones.
  double lying_in(std::size_t one, std::size_t other) const;
  double standing_in(std::size_t one, std::size_t other) const;
  bool some_touch(double (PlotLabels::*needed_in)(std::size_t, std::size_t) const) const;
  void leave_out_what_touches();

  std::vector<Label> labels_;
  PlotRange range_;
  double part_width_in_;
  bool are_upright_ = false;
  double below_in_ = 0.72;
  double gap_in_ = 0.2;
};

/// The width of each of `parts` parts, in inches, so that the texts fit vertically along the x axis at equal
/// distances.
double part_width_in(std::size_t parts, const std::vector<std::string>& upright);

/// The title of every part, broken into lines no wider than a part (inches).
std::vector<std::vector<std::string>> broken_titles(const std::vector<std::string>& titles,
                                                    double part_width);

/// The height needed above a part for the title with the most lines, in inches.
double above_part_in(const std::vector<std::vector<std::string>>& titles);

}  // namespace starling
