#pragma once

#include <functional>
#include <memory>

#include "sim/native/compute_device.hpp"
#include "sim/native/idle_wait.hpp"
#include "sim/native/mpi_job.hpp"
#include "sim/run_statistics.hpp"
#include "sim/trace.hpp"
#include "sim/worker.hpp"

namespace starling {

/// The ranks of an MPI job: this process runs one of them, the others theirs.
///
/// All ranks begin at the same time, to within the error of clock_offset(), if it takes no more than 5 ms to
/// tell all of it; whoever hears of it later begins late. A failure of one rank leaves the others waiting:
/// whoever catches it must MpiJob::abort().
class NativeWorld final {
 public:
  /// Collective. All must outlive the world. Without a device the GPU is emulated; a device serves one world
  /// at a time.
  explicit NativeWorld(const MpiJob& job, TraceSink* trace = nullptr, ComputeDevice* device = nullptr);
  ~NativeWorld();

  /// Collective; may be called once. Runs the body of this process's rank, and returns when the foreground
  /// strands of all ranks have ended. An exception that leaves any strand ends the run and is thrown here. A
  /// run that can no longer proceed waits for ever: what other processes will send is not known.
  void run(const std::function<void(Worker&)>& body);

  /// What this rank did in the run.
  RunStatistics statistics() const;

  /// Whether all that may come wakes this process: messages of every other rank, and the device.
  Arrival arrival() const;

  /// After run(): a time of this rank on the clock of rank 0, whose drift is taken to be constant. Reference:
  /// Doleschal, Knüpfer, Müller, Nagel, "Internal timer synchronization for parallel event tracing",
  /// EuroPVM/MPI 2008.
  double aligned_s(double time_s) const { return time_s * (1 - drift_); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  double drift_ = 0;  // seconds that this clock gains on rank 0's, per second
};

}  // namespace starling
