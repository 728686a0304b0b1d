#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace starling {

/// How something in a picture looks, as gnuplot says it, and what it means.
struct KeyEntry {
  std::string name;
  std::string color = "black";
  std::size_t dash = 0;           // of its line; 0 without one
  std::optional<int> point = {};  // its type
  double point_size = 0.8;
  std::string fill = {};     // the fill style of an area
  bool is_interval = false;  // an error bar
};

/// The color and the point of one of several; no two of 49 look alike.
KeyEntry told_apart(std::string name, std::size_t number);

/// The parts of a picture, all alike. In inches.
struct PartSize {
  double width_in = 0;
  double height_in = 0;
  double above_in = 0;    // for a title
  double below_in = 0;    // for the axis across
  double gap_in = 0;      // between parts
  double left_in = 0.85;  // of the first part, for its axis upwards
};

/// What to plot of data whose columns are across, up, and both ends of its interval: points with bars.
std::string points_with_bars(const std::string& data, const KeyEntry& look);

/// What is left of the first part, where the numbers along its axis upwards are so wide.
double left_of_numbers_in(double widest_in);

/// Which numbers stand along a logarithmic axis: 1, 2 and 5 times powers of ten, or these alone where those
/// would be too many, or every second, or third. The ends are more than 0.
std::vector<double> logarithmic_marks(double least, double greatest);

/// How many of `parts` stand side by side: at most three.
std::size_t columns_of(std::size_t parts);

/// Where the parts of a picture are: side by side, then below; above all its title, and what is in it, in as
/// many columns as fit. Gnuplot's own key leaves out, or draws over the parts, what does not fit.
class PictureLayout {
 public:
  PictureLayout(std::size_t parts, const PartSize& size, const std::string& title,
                const std::vector<KeyEntry>& entries);

  double width_in() const;
  double height_in() const;
  bool is_leftmost(std::size_t part) const { return part % columns_ == 0; }

  /// Gnuplot's settings for all parts, of which the first draws title and key.
  std::string head() const;
  /// Gnuplot's settings for a part.
  std::string place(std::size_t part) const;
  /// Gnuplot's settings after the first part.
  static std::string without_head() { return "unset arrow\nunset label\nunset object\n"; }

 private:
  struct Entry {
    KeyEntry look;
    std::vector<std::string> lines;
    double left_in;
    double top_in;
    double bottom_in() const;
  };

  void place_entries(const std::vector<KeyEntry>& entries);
  std::string at(double left_in, double top_in) const;  // of the picture
  std::string sample(const Entry& entry) const;
  double row_in() const { return size_.above_in + size_.height_in + size_.below_in; }

  std::size_t columns_;
  std::size_t rows_;
  PartSize size_;
  std::vector<std::string> title_;
  std::vector<Entry> entries_;
  double head_in_ = 0;
};

}  // namespace starling
