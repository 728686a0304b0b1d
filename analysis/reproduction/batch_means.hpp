#pragma once

#include <cstddef>
#include <span>

namespace starling {

struct MeanAndError {
  double mean = 0;
  double standard_error = 0;  // of the mean
};

/// The mean of a time series and how uncertain it is, by the method of batch means: the series is cut into
/// ten batches of whole periods (fewer if it is short), whose means are as good as independent if a batch is
/// longer than the series remembers. Without an error below three periods. `period` is at least 1. Reference:
/// Law, "Simulation Modeling and Analysis", section 9.5.3.
MeanAndError batch_means(std::span<const double> series, std::size_t period = 1);

}  // namespace starling
