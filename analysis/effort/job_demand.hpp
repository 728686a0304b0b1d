#pragma once

#include "analysis/effort/run_effort.hpp"

namespace starling {

/// What running all algorithms of a job takes at the very least. Of a run that goes on until its means are
/// known, time is that of its first iterations; memory, records and files are those of the most that it may
/// have.
struct JobDemand {
  double time_s = 0;            // on one core
  double memory_bytes = 0;      // of the algorithm that needs most
  double iterations_bytes = 0;  // of that memory, what grows with the iterations
  double records_bytes = 0;     // of it, for a while on disk: what LargeMemory does not keep in memory
  double files_bytes = 0;       // iterations.csv of all, rather more
  /// About what it takes, which decides nothing; of 0 s where that is not known.
  RunEffort usual = {};
  /// About how long at most, where a run goes on until its means are known; 0 elsewhere.
  double most_time_s = 0;
  int seeds = 1;  // one after the other, which is counted in time and files
};

}  // namespace starling
