#include "workloads/imbalance/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "base/reject.hpp"

namespace starling {

namespace {

[[noreturn]] void reject_distribution(const std::string& name, const std::string& problem) {
  reject("distribution {}: {}", name, problem);
}

bool is_value(double value) { return std::isfinite(value) && value >= 0; }

void validate(const std::string& name, const Histogram& histogram) {
  if (!is_value(histogram.minimum) || !std::isfinite(histogram.maximum) ||
      histogram.minimum > histogram.maximum) {
    reject_distribution(
        name, fmt::format("minimum {} and maximum {} must be finite, not negative and in this order",
                          histogram.minimum, histogram.maximum));
  }
  double previous_upper = -std::numeric_limits<double>::infinity();
  for (const HistogramBin& bin : histogram.bins) {
    if (!(std::isfinite(bin.lower) && std::isfinite(bin.upper) && bin.lower < bin.upper &&
          bin.lower >= previous_upper)) {
      reject_distribution(
          name, fmt::format("bin [{}, {}] must be finite, ascending and after the bin before it", bin.lower,
                            bin.upper));
    }
    if (!is_value(bin.count))
      reject_distribution(name, fmt::format("bin [{}, {}] has count {}", bin.lower, bin.upper, bin.count));
    previous_upper = bin.upper;
  }
}

void validate(const std::string& name, const QuantileTable& table) {
  const std::vector<QuantilePoint>& points = table.points;
  if (points.size() < 2 || points.front().probability != 0 || points.back().probability != 1) {
    reject_distribution(name, "the probabilities of the quantiles must begin with 0 and end with 1");
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_value(points[i].value))
      reject_distribution(name, fmt::format("value {} must be finite and not negative", points[i].value));
    if (i == 0) continue;
    if (!(points[i].probability >= points[i - 1].probability) || points[i].value < points[i - 1].value) {
      reject_distribution(name, fmt::format("quantile [{}, {}] must not be below the one before it",
                                            points[i].probability, points[i].value));
    }
  }
}

}  // namespace

Distribution::Distribution(std::string name, std::string unit, const Histogram& histogram)
    : name_(std::move(name)), unit_(std::move(unit)) {
  validate(name_, histogram);
  for (const HistogramBin& bin : histogram.bins) {
    // Values outside the limits are moved to the limits.
    const double from = std::clamp(bin.lower, histogram.minimum, histogram.maximum);
    const double to = std::clamp(bin.upper, histogram.minimum, histogram.maximum);
    const double per_width = bin.count / (bin.upper - bin.lower);
    const double below = std::clamp(histogram.minimum, bin.lower, bin.upper) - bin.lower;
    const double above = bin.upper - std::clamp(histogram.maximum, bin.lower, bin.upper);
    add(per_width * below, from, from);
    add(per_width * (bin.upper - bin.lower - below - above), from, to);
    add(per_width * above, to, to);
  }
  finish();
}

Distribution::Distribution(std::string name, std::string unit, const QuantileTable& table)
    : name_(std::move(name)), unit_(std::move(unit)) {
  validate(name_, table);
  for (std::size_t i = 1; i < table.points.size(); ++i) {
    const QuantilePoint& before = table.points[i - 1];
    const QuantilePoint& after = table.points[i];
    add(after.probability - before.probability, before.value, after.value);
  }
  finish();
}

Distribution::Distribution(std::string name, std::string unit, const Samples& samples)
    : name_(std::move(name)), unit_(std::move(unit)) {
  std::vector<double> values = samples.values;
  std::ranges::sort(values);
  for (const double value : values) {
    if (!is_value(value))
      reject_distribution(name_, fmt::format("value {} must be finite and not negative", value));
    add(1, value, value);
  }
  finish();
}

void Distribution::add(double share, double from, double to) {
  if (share > 0) segments_.push_back({.end = 0, .share = share, .from = from, .to = to});
}

void Distribution::finish() {
  double total = 0;
  for (Segment& segment : segments_) segment.end = total += segment.share;
  if (!(total > 0) || !std::isfinite(total)) reject_distribution(name_, "there is nothing to draw from");
  for (Segment& segment : segments_) {
    segment.end /= total;
    segment.share /= total;
  }
}

double Distribution::quantile(double probability) const {
  STARLING_INVARIANT(probability >= 0 && probability <= 1);
  const auto found = std::ranges::lower_bound(segments_, probability, {}, &Segment::end);
  const Segment& segment = found == segments_.end() ? segments_.back() : *found;
  const double position = 1 - (segment.end - probability) / segment.share;
  return std::lerp(segment.from, segment.to, std::clamp(position, 0.0, 1.0));
}

double Distribution::mean() const {
  double sum = 0;
  for (const Segment& segment : segments_) sum += segment.share * (segment.from + segment.to) / 2;
  return sum;
}

double Distribution::standard_deviation() const {
  const double center = mean();
  double sum = 0;
  for (const Segment& segment : segments_) {
    const double from = segment.from - center;
    const double to = segment.to - center;
    sum += segment.share * (from * from + from * to + to * to) / 3;
  }
  return std::sqrt(sum);
}

}  // namespace starling
