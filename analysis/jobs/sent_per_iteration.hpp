#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// Measures how many bytes a worker sends per iteration, in a run that is stopped while it repeats.
///
/// Messages of an iteration may leave during the next one, so the first iteration sends too little, and the
/// last one may be cut off. Therefore each worker is measured over the whole periods of the algorithm's
/// pattern from the beginning of its second iteration on, or, if it has not completed one, over all its
/// iterations. O(1) per call.
class SentPerIteration {
 public:
  /// `period` is in iterations.
  SentPerIteration(int workers, std::int64_t period)
      : period_(period), workers_(static_cast<std::size_t>(workers)) {}

  /// Notes that a worker begins an iteration, having sent `sent_bytes` so far. Iterations count from 0, and
  /// each worker's come in order.
  void begin(Rank rank, std::int64_t iteration, double sent_bytes) {
    Sent& worker = workers_[static_cast<std::size_t>(rank)];
    worker.all = {iteration, sent_bytes};
    if (iteration == 1) worker.in_first = sent_bytes;
    if (iteration > 1 && (iteration - 1) % period_ == 0)
      worker.in_periods = {iteration - 1, sent_bytes - worker.in_first};
  }

  /// The mean number of bytes per iteration of a worker. At least one worker must have done an iteration.
  double mean_bytes() const {
    double bytes = 0;
    double iterations = 0;
    for (const Sent& worker : workers_) {
      const Counted& counted = worker.in_periods.iterations > 0 ? worker.in_periods : worker.all;
      bytes += counted.bytes;
      iterations += static_cast<double>(counted.iterations);
    }
    return bytes / iterations;
  }

 private:
  struct Counted {
    std::int64_t iterations = 0;
    double bytes = 0;
  };
  struct Sent {
    Counted all;
    double in_first = 0;
    Counted in_periods;
  };

  std::int64_t period_;
  std::vector<Sent> workers_;
};

}  // namespace starling
