#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics/estimate.hpp"

namespace starling {

/// The means of consecutive batches of a time series, all as long.
struct BatchMeans {
  std::vector<double> means;
  std::size_t length = 0;  // of a batch
};

/// Cuts a time series into ten batches of whole periods, fewer if it is short: the means of batches that are
/// longer than the series remembers are as good as independent, so none is shorter than `least_length`. What
/// is left over at the end is in none. Without any below three. `period` and `least_length` are at least 1.
/// Reference: Law, "Simulation Modeling and Analysis", section 9.5.3; Schmeiser, "Batch size effects in the
/// analysis of simulation output", Operations Research 30(3), 1982: more than 10 … 30 batches gain next to
/// nothing.
BatchMeans batch_means(std::span<const double> series, std::size_t period = 1, std::size_t least_length = 1);

/// How long a series must be for an error.
std::size_t least_series(std::size_t period, std::size_t least_length);

/// How long batches must be for what a series is seen to remember: six times its integrated autocorrelation
/// time, so that a batch's variance is a twelfth too small or less; at most a third of the series, and 1 if
/// neighbors are as good as independent. Of whole periods; what repeats with them is no memory. O(n), and a
/// few million operations at most.
/// Reference: Sokal, "Monte Carlo methods in statistical mechanics", in Functional Integration, 1997, section
/// 3 (the window is five times the time that it gives).
std::size_t remembered(std::span<const double> series, std::size_t period = 1);

/// The mean of the whole series, with the error that its batches tell: what is in none of them is as good as
/// the rest.
SampleEstimate mean_by_batches(std::span<const double> series, const BatchMeans& batches);

/// Values of a run in order, or of several runs.
struct SampleSeries {
  std::vector<double> values;
  std::size_t period = 1;        // after which a pattern of theirs repeats
  std::size_t least_length = 1;  // of a batch, as far as is known without looking at them
  std::size_t iterations = 1;    // that each value is the mean of
  /// Each stands for itself, as those of runs with other seeds do.
  bool are_independent = false;

  /// Values of both that belong together are of the same iterations, or runs.
  bool are_paired_with(const SampleSeries& other) const {
    return values.size() == other.values.size() && !values.empty() && iterations == other.iterations &&
           are_independent == other.are_independent;
  }
};

/// What stands beside values of both, such as their differences, without any yet: its patterns are those of
/// both.
SampleSeries series_of_both(const SampleSeries& first, const SampleSeries& other);

/// Divides a series whose values are not independent into batches as long as they must be.
BatchMeans batches_of(const SampleSeries& series);

/// The mean, with the error that batches tell which are as long as they must be; without one where these are
/// fewer than three.
SampleEstimate mean_of_series(const SampleSeries& series);

/// Where a series rises or falls from its first batch to its last.
struct Drift {
  double first = 0;
  double last = 0;
};

/// The ends of the line through the batches by least squares, if it changes by half a percent of the mean or
/// more, and is no line of a constant's noise by a t test at 99.9 %; absent with fewer than five batches.
/// Reference: Draper, Smith, "Applied Regression Analysis", 3rd ed., section 1.4.
std::optional<Drift> drift_of(const BatchMeans& batches);

}  // namespace starling
