#pragma once

#include "analysis/effort/run_effort.hpp"

namespace starling {

/// Lower bounds of what running all algorithms of a job takes. For a run that continues until its means are
/// precise enough, the time is that of the iterations after which it may stop first; memory, records and
/// files are those of the most iterations that it may have.
struct JobDemand {
  double time_s = 0;            // on one core
  double memory_bytes = 0;      // of the algorithm that needs most
  double iterations_bytes = 0;  // part of memory_bytes that grows with the iterations
  double records_bytes = 0;     // temporarily on disk: what LargeMemory does not keep in memory
  double files_bytes = 0;       // iterations.csv of all algorithms, an upper bound
  /// An estimate for users, by which nothing is refused; 0 s where there is none.
  RunEffort estimate = {};
  /// The estimated time of the most iterations, for a run that continues until its means are precise enough;
  /// 0 for others.
  double most_time_s = 0;
  int seeds = 1;  // runs one after the other, which time and files include
};

}  // namespace starling
