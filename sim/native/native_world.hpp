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

/// The ranks of an MPI job, of which this process runs one.
///
/// All ranks start at the same time, to within the error of clock_offset(), if all of them learn the start
/// time within 5 ms; a rank that learns it later starts late. If one rank fails the others wait for it: the
/// code that catches the exception must call MpiJob::abort().
class NativeWorld final {
 public:
  /// Collective. All arguments must outlive the world; trace and device may be null. Without a device the
  /// GPU is emulated. A device serves one world at a time.
  explicit NativeWorld(const MpiJob& job, TraceSink* trace = nullptr, ComputeDevice* device = nullptr);
  ~NativeWorld();

  /// Collective; may be called once. Runs the body of this process's rank, and returns when the foreground
  /// strands of all ranks have ended. An exception that leaves any strand ends the run and is rethrown here.
  /// A deadlocked run waits for ever, as it is not known what other processes will send.
  void run(const std::function<void(Worker&)>& body);

  /// The counters of this rank in the run.
  RunStatistics statistics() const;

  /// Whether everything that this process may wait for wakes it: messages of every other rank, and the
  /// device.
  Arrival arrival() const;

  /// After run(): converts a time of this rank to the clock of rank 0, assuming constant drift. Reference:
  /// Doleschal, Knüpfer, Müller, Nagel, "Internal timer synchronization for parallel event tracing",
  /// EuroPVM/MPI 2008.
  double aligned_s(double time_s) const { return time_s * (1 - drift_); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  double drift_ = 0;  // seconds that this clock gains on rank 0's, per second
};

}  // namespace starling
