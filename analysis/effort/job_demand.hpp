#pragma once

#include "analysis/effort/run_effort.hpp"

namespace starling {

/// What running all algorithms of a job takes at the very least.
struct JobDemand {
  double time_s = 0;         // on one core
  double memory_bytes = 0;   // of the algorithm that needs most
  double records_bytes = 0;  // of it, for a while on disk: what LargeMemory does not keep in memory
  double files_bytes = 0;    // iterations.csv of all
  /// About what it takes, which decides nothing; of 0 s where that is not known.
  RunEffort usual = {};
  /// About how long at most, where a run goes on until its means are known; 0 elsewhere.
  double most_time_s = 0;
};

}  // namespace starling
