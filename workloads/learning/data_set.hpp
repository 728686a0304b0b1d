#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"

namespace starling {

/// A data set for classification, all in memory.
struct DataSet {
  std::string name;
  int features = 0;
  int classes = 0;
  std::vector<float> values;  // the features of the first point, then those of the second, …
  std::vector<int> labels;    // the class of each point: 0 … classes−1

  std::int64_t points() const { return static_cast<std::int64_t>(labels.size()); }
  /// The features of a point.
  std::span<const float> point(std::int64_t index) const;

  /// @throws std::invalid_argument unless there are a point and a feature, at least 2 classes, `features`
  /// values for each point, all finite, and every label is in 0 … classes−1.
  void validate() const;

  /// Shifts and scales every feature to mean 0 and variance 1 over the points; a constant feature becomes 0.
  void standardize();
};

/// A generated data set: a normal cloud of points for each class.
struct GeneratedDataOptions {
  static constexpr std::string_view name = "generated";
  static constexpr std::string_view summary = "normally distributed points around a mean for each class";
  int points = 4096;
  int features = 20;
  int classes = 4;
  double separation = 2;  // expected distance between the means of two classes, in standard deviations
  std::uint64_t seed = 1;
};

void describe(GeneratedDataOptions& options, OptionVisitor& visitor);

/// Point i is of class i mod classes: a standard normal draw around the mean of its class. The class means
/// are normal draws themselves, with variance separation² / (2 · features) in each feature.
/// @throws std::invalid_argument for an option out of range.
DataSet generated_data_set(GeneratedDataOptions options);

}  // namespace starling
