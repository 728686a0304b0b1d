#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace starling {

/// An entry of the key of a picture: a name, and the look that it stands for in terms of gnuplot.
struct KeyEntry {
  std::string name;
  std::string color = "black";
  std::size_t dash = 0;           // dash type of the line; 0: no line
  std::optional<int> point = {};  // point type
  double point_size = 0.8;
  std::string fill = {};     // fill style of an area
  bool is_interval = false;  // an error bar
};

/// An entry with a color and a point for series `number`; the first 49 series all look different.
KeyEntry distinguishable_entry(std::string name, std::size_t number);

/// The size of each part (plot) of a picture, in inches.
struct PartSize {
  double width_in = 0;
  double height_in = 0;
  double above_in = 0;    // for a title
  double below_in = 0;    // for the x axis
  double gap_in = 0;      // between parts
  double left_in = 0.85;  // left of the first part, for its y axis
};

/// A plot command for points with error bars; the columns of the data are x, y, and both ends of the
/// interval.
std::string points_with_bars(const std::string& data, const KeyEntry& look);

/// The space left of the first part, if the widest number along its y axis has this width.
double left_of_numbers_in(double widest_in);

/// The numbers marked on a logarithmic axis: 1, 2 and 5 times powers of ten; only powers of ten if these are
/// too many; or only every second or third power. Both ends must be positive.
std::vector<double> logarithmic_marks(double least, double greatest);

/// The number of columns of a picture with `parts` parts: at most three.
std::size_t columns_of(std::size_t parts);

/// The layout of a picture: parts in rows of up to three; above them the title and the key, in as many
/// columns as fit. Replaces gnuplot's own key, which omits entries that do not fit or draws them over the
/// parts.
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
  std::string at(double left_in, double top_in) const;  // in inches from the top left of the picture
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
