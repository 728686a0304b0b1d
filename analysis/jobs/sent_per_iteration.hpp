#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace starling {

/// How many bytes a worker sends in an iteration, in a run that goes on.
///
/// What an iteration sends may leave in the next one, so the first one sends too little, and the last one to
/// begin is no measure. Each worker counts from where its second iteration begins, for as many periods of the
/// algorithm's pattern as it has begun; one that has not done a period since then counts all its iterations.
/// O(1) a call.
class SentPerIteration {
 public:
  /// `period` is in iterations.
  SentPerIteration(int workers, std::int64_t period)
      : period_(period), workers_(static_cast<std::size_t>(workers)) {}

  /// A worker begins an iteration, numbered from 0, in order, and has sent so much in all those before it.
  void begin(Rank rank, std::int64_t iteration, double sent_bytes) {
    Sent& worker = workers_[static_cast<std::size_t>(rank)];
    worker.all = {iteration, sent_bytes};
    if (iteration == 1) worker.in_first = sent_bytes;
    if (iteration > 1 && (iteration - 1) % period_ == 0)
      worker.in_periods = {iteration - 1, sent_bytes - worker.in_first};
  }

  /// The mean over iterations of all workers; at least one has done an iteration.
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
