#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"

namespace starling {

/// Points to classify, all in memory.
struct DataSet {
  std::string name;
  int features = 0;
  int classes = 0;
  std::vector<float> values;  // `features` of the first point, then of the second, …
  std::vector<int> labels;    // of each point: 0 … classes−1

  std::int64_t points() const { return static_cast<std::int64_t>(labels.size()); }
  /// The features of a point.
  std::span<const float> point(std::int64_t index) const;

  /// @throws std::invalid_argument unless there is a point and a feature, at least 2 classes, `features`
  /// values for each point, all finite, and every label is a class.
  void validate() const;

  /// Shifts and scales every feature to mean 0 and variance 1 over the points; a constant feature becomes 0.
  void standardize();
};

/// A data set made of normal clouds.
struct GeneratedDataOptions {
  static constexpr std::string_view name = "generated";
  static constexpr std::string_view summary = "a normal cloud for each class";
  int points = 4096;
  int features = 20;
  int classes = 4;
  double separation = 2;  // expected distance between two classes' means, in standard deviations of a feature
  std::uint64_t seed = 1;
};

void describe(GeneratedDataOptions& options, OptionVisitor& visitor);

/// Point i is of class i mod classes: a standard normal around its class's mean, which is a normal draw
/// itself, with variance separation² / (2 · features) in each feature.
/// @throws std::invalid_argument for an option out of range.
DataSet generated_data_set(GeneratedDataOptions options);

}  // namespace starling
