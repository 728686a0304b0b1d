#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "sim/messages/message_costs.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/run_statistics.hpp"
#include "sim/simulated/job_routes.hpp"
#include "sim/trace.hpp"
#include "sim/worker.hpp"

namespace starling {

/// One of several jobs on a modeled network. Everything that it refers to must outlive the run.
struct SimulatedJob {
  std::string name;
  const JobRoutes& routes;
  MessageCosts costs = {};
  /// Its workers' computations take 1 + this times as long while they communicate: see ContendedGpu.
  double communication_slowdown = 0;
  TraceSink* trace = nullptr;  // receives spans by ranks of the job
  double start_s = 0;
  /// Whether the job continues until the others have ended, rather than ending by itself. Such a job counts
  /// as finished once finish() is called for it.
  bool runs_forever = false;
  std::function<void(Worker&)> body;
  /// Called once, when the job has finished.
  std::function<void()> finished = {};
};

/// Several concurrent jobs in this process, on one modeled network. A job's workers know of no others:
/// ranks, messages and notifications are those of the job; only links are shared. The same inputs give the
/// same results, bit for bit. Events of the same moment happen in the order of the jobs.
///
/// A job that has finished starts nothing new, but what its background strands have in progress continues.
class SimulatedJobs {
 public:
  /// The network must outlive this object.
  explicit SimulatedJobs(NetworkModel& network);
  ~SimulatedJobs();
  SimulatedJobs(const SimulatedJobs&) = delete;
  SimulatedJobs& operator=(const SimulatedJobs&) = delete;

  /// Adds a job; jobs are numbered from 0. No two jobs may share a worker.
  void add(SimulatedJob job);

  /// Runs all jobs until they have finished; may be called once. @throws the exceptions of
  /// SimulatedWorld::run().
  void run();

  /// Declares a job that goes on for ever finished: to be called once, from one of its strands, when it has
  /// done the work that the run must wait for.
  void finish(std::size_t job);

  /// The bytes that a rank of the job has sent so far.
  double sent_bytes(std::size_t job, Rank rank) const;

  /// The counters of a job from its start until it finished, which it must have. `events` stays 0, as the
  /// jobs share their events: see events().
  RunStatistics statistics(std::size_t job) const;
  /// The number of events of all jobs, and the end of the last job.
  std::uint64_t events() const;
  double end_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
