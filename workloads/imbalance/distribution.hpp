#pragma once

#include <string>
#include <vector>

namespace starling {

/// A bin of a histogram; values are uniformly distributed inside it.
struct HistogramBin {
  double lower = 0;
  double upper = 0;
  double count = 0;
};

/// Counts of binned values. Values that a bin would spread below `minimum` or above `maximum` are set to the
/// minimum or maximum.
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

/// A quantile function, linear between the points; the first has probability 0, the last 1.
struct QuantileTable {
  std::vector<QuantilePoint> points;
};

/// Sample values, all equally likely.
struct Samples {
  std::vector<double> values;
};

/// An empirical distribution of non-negative values, such as the compute times of a batch.
class Distribution {
 public:
  /// @throws std::invalid_argument if the total count is 0, if values are negative or not finite, or if bins
  /// or points are not in ascending order.
  Distribution(std::string name, std::string unit, const Histogram& histogram);
  Distribution(std::string name, std::string unit, const QuantileTable& table);
  Distribution(std::string name, std::string unit, const Samples& samples);

  const std::string& name() const { return name_; }
  /// "s" for times; another unit if the values are not times.
  const std::string& unit() const { return unit_; }

  /// The inverse of the cumulative distribution function: the value that a share `probability` of all values
  /// does not exceed, for 0 ≤ probability ≤ 1. Applied to a uniform random number it gives a draw. Takes
  /// O(log n) for n bins, points or values.
  double quantile(double probability) const;

  double mean() const;
  double standard_deviation() const;

 private:
  /// A segment of the quantile function: it rises linearly from `from` to `to` over the probabilities end −
  /// share … end.
  struct Segment {
    double end = 0;
    double share = 0;
    double from = 0;
    double to = 0;
  };

  void add(double share, double from, double to);
  void finish();

  std::string name_;
  std::string unit_;
  std::vector<Segment> segments_;
};

}  // namespace starling
