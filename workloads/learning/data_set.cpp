#include "workloads/learning/data_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"
#include "workloads/learning/normal_draw.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {

std::span<const float> DataSet::point(std::int64_t index) const {
  STARLING_INVARIANT(index >= 0 && index < points());
  const auto width = static_cast<std::size_t>(features);
  return std::span(values).subspan(static_cast<std::size_t>(index) * width, width);
}

void DataSet::validate() const {
  if (labels.empty()) reject("{}: there are no points", name);
  if (features < 1) reject("{}: there are {} features; at least 1 is needed", name, features);
  if (classes < 2) reject("{}: there are {} classes; at least 2 are needed", name, classes);
  if (values.size() != labels.size() * static_cast<std::size_t>(features)) {
    reject("{}: there are {} values for {} points of {} features", name, values.size(), labels.size(),
           features);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      reject("{}: feature {} of point {} is {}; it must be finite", name,
             i % static_cast<std::size_t>(features), i / static_cast<std::size_t>(features), values[i]);
    }
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= classes) {
      reject("{}: the label of point {} is {}; it must be 0 … {}", name, i, labels[i], classes - 1);
    }
  }
}

void DataSet::standardize() {
  const auto width = static_cast<std::size_t>(features);
  const auto count = static_cast<double>(points());
  for (std::size_t feature = 0; feature < width; ++feature) {
    double mean = 0;
    for (std::size_t i = feature; i < values.size(); i += width) mean += values[i] / count;
    double variance = 0;
    for (std::size_t i = feature; i < values.size(); i += width)
      variance += (values[i] - mean) * (values[i] - mean) / count;
    // The computed variance of a constant feature is rounding error of its mean.
    const bool is_constant = std::sqrt(variance) <= 1e-12 * std::abs(mean);
    const double scale = is_constant ? 0 : 1 / std::sqrt(variance);
    for (std::size_t i = feature; i < values.size(); i += width)
      values[i] = static_cast<float>((values[i] - mean) * scale);
  }
}

void describe(GeneratedDataOptions& options, OptionVisitor& visitor) {
  visitor.integer({"points", "total number of points"}, options.points, count_range);
  visitor.integer({"features", "number of features of a point"}, options.features, width_range);
  visitor.integer({"classes", "number of classes"}, options.classes, {2, width_range.greatest});
  visitor.number(
      {"separation", "expected distance between two classes' means, in standard deviations of a feature"},
      options.separation, magnitude_range);
  const double floats = static_cast<double>(std::max(options.points, options.classes)) * options.features;
  visitor.require(floats <= most_floats, "",
                  fmt::format("{} points and {} classes of {} features do not fit in memory", options.points,
                              options.classes, options.features),
                  fmt::format("at most {:.0f} numbers in all", most_floats));
}

DataSet generated_data_set(GeneratedDataOptions options) {
  check_options(options.name, [&](OptionVisitor& visitor) { describe(options, visitor); });
  const CounterRandom random(options.seed, Purpose::data);
  const auto features = static_cast<std::uint32_t>(options.features);
  const auto classes = static_cast<std::uint64_t>(options.classes);
  const double mean_deviation = options.separation / std::sqrt(2.0 * options.features);
  DataSet data;
  data.name = "generated";
  data.features = options.features;
  data.classes = options.classes;
  // The first index separates streams: 0 for the class means, 1 for the points.
  std::vector<double> means;
  for (std::uint64_t label = 0; label < classes; ++label) {
    for (std::uint32_t k = 0; k < features; ++k)
      means.push_back(mean_deviation * normal_draw(random, 0, label, k));
  }
  for (std::uint64_t point = 0; point < static_cast<std::uint64_t>(options.points); ++point) {
    const std::uint64_t label = point % classes;
    data.labels.push_back(static_cast<int>(label));
    for (std::uint32_t k = 0; k < features; ++k)
      data.values.push_back(
          static_cast<float>(means[label * features + k] + normal_draw(random, 1, point, k)));
  }
  return data;
}

}  // namespace starling
