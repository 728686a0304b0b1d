#pragma once

#include <string>
#include <vector>

namespace starling {

/// Values are uniform inside a bin.
struct HistogramBin {
  double lower = 0;
  double upper = 0;
  double count = 0;
};

/// Counts of binned values; what a bin would give below minimum or above maximum counts as the minimum or
/// maximum.
struct Histogram {
  std::vector<HistogramBin> bins;  // ascending, not overlapping
  double minimum = 0;
  double maximum = 0;
};

/// A point of the quantile function.
struct QuantilePoint {
  double probability = 0;
  double value = 0;
};

/// Values lie linearly between the points; the first has probability 0, the last 1.
struct QuantileTable {
  std::vector<QuantilePoint> points;
};

/// Every value is equally likely.
struct Samples {
  std::vector<double> values;
};

/// An empirical distribution of values that cannot be negative, such as the compute times of a batch.
class Distribution {
 public:
  /// @throws std::invalid_argument if there is nothing to draw from, or bins, points or values are not
  /// ascending where they must be, negative or infinite.
  Distribution(std::string name, std::string unit, const Histogram& histogram);
  Distribution(std::string name, std::string unit, const QuantileTable& table);
  Distribution(std::string name, std::string unit, const Samples& samples);

  const std::string& name() const { return name_; }
  /// "s", unless the values are no times.
  const std::string& unit() const { return unit_; }

  /// The value that a share `probability` of all values does not exceed, for 0 ≤ probability ≤ 1. Grows with
  /// probability; of a uniform number it is a draw. Takes O(log n) for n bins, points or values.
  double quantile(double probability) const;

  double mean() const;
  double standard_deviation() const;

 private:
  /// A stretch of the quantile function: linear from `from` to `to` over a share of all values that ends at
  /// `end`.
  struct Stretch {
    double end = 0;
    double share = 0;
    double from = 0;
    double to = 0;
  };

  void add(double share, double from, double to);
  void finish();

  std::string name_;
  std::string unit_;
  std::vector<Stretch> stretches_;
};

}  // namespace starling
