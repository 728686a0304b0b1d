#pragma once

#include <optional>

#include "analysis/statistics/sample_series.hpp"

namespace starling {

/// Where a series rises or falls from its beginning to its end.
struct Drift {
  double first = 0;
  double last = 0;
};

/// The ends of the straight line that fits the means of up to ten batches best (least squares), if the series
/// drifts: if the line changes by half a percent of the mean or more, and a t test at 99.9 % tells it from a
/// constant with noise. Batches are whole periods, and `least_length` values at least; with fewer than five
/// there is no telling. Correlation that only the values show is not looked for.
/// Reference: Draper, Smith, "Applied Regression Analysis", 3rd ed., section 1.4; batches: Law, "Simulation
/// Modeling and Analysis", section 9.5.3.
std::optional<Drift> drift_of(const SampleSeries& series);

}  // namespace starling
