#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace starling {

/// A unit that numbers are shown in.
struct ShownUnit {
  double size = 1;
  std::string name = {};
};

/// The unit that shows numbers up to `greatest`, which are in `unit`, best.
ShownUnit unit_for(const std::string& unit, double greatest);

/// "iteration time (ms)".
std::string with_unit(const std::string& label, const std::string& unit);

/// Values along an axis.
struct PlotAxis {
  std::vector<nlohmann::json> values = {};  // in order
  std::vector<double> numbers = {};         // where each is
  bool is_numeric = false;
  std::string unit = {};

  double number_of(const nlohmann::json& value) const;
};

/// An axis through these values: numbers and quantities are where they belong, others side by side.
PlotAxis axis_through(std::vector<nlohmann::json> values);

/// A text of several lines for gnuplot, an expression that joins them: it breaks none within single quotes.
std::string broken_text(const std::vector<std::string>& lines);

/// The interval that an axis shows.
struct PlotRange {
  bool is_logarithmic = false;
  double least = 0;
  double greatest = 1;

  /// Where a number is on the axis: 0 at its beginning, 1 at its end.
  double share_of(double number) const;
  /// How wide the widest number is that gnuplot writes along it.
  double number_width_in() const;
  /// Gnuplot's settings of the axis of that name, "x" or "y".
  std::string settings(const std::string& name) const;
};

/// The range of an axis, "x" or "y", that shows these numbers, with some room around them: logarithmic where
/// they are above 0 and the greatest is 20 times the least or more, "x" also where they multiply rather than
/// add up, as 4, 8, 64 do. Otherwise "y" begins at 0, unless some are below.
PlotRange range_of(const std::string& name, const std::vector<double>& numbers);

/// The labels of the axis across, where each is on it, and the room that they need. Where some would touch,
/// all stand upright; where even that does not help, some are left out, and no other one is turned.
class PlotLabels {
 public:
  struct Label {
    double number;
    std::string text;
  };

  /// Without labels gnuplot picks them. `part_width` is in inches.
  PlotLabels(std::vector<Label> labels, const PlotRange& range, double part_width);

  double below_in() const { return below_in_; }
  double gap_in() const { return gap_in_; }  // between parts
  std::string settings() const;

 private:
  double distance_in(std::size_t from, std::size_t to) const;
  double both_halves_in(std::size_t one, std::size_t other) const;
  /// How far apart two must be that lie, or stand upright.
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

/// The width of each of so many parts, in inches: enough for these texts to stand upright along it, each as
/// far from the next as the two neighbors need that need most.
double part_width_in(std::size_t parts, const std::vector<std::string>& upright);

/// The title of every part, in lines that are no wider than a part (inches).
std::vector<std::vector<std::string>> broken_titles(const std::vector<std::string>& titles,
                                                    double part_width);

/// The height above a part, in inches: as many lines as the longest title has.
double above_part_in(const std::vector<std::vector<std::string>>& titles);

}  // namespace starling
