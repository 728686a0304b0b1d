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

/// One of several jobs on a modeled network; what it refers to must outlive the run.
struct SimulatedJob {
  std::string name;
  const JobRoutes& routes;
  MessageCosts costs = {};
  /// Its workers compute 1 + this times as long while they communicate: see ContendedGpu.
  double communication_slowdown = 0;
  TraceSink* trace = nullptr;  // is told what the job calls its ranks
  double start_s = 0;
  /// Whether it ends with the others rather than by itself: it has finished when finish() says so.
  bool goes_on_for_ever = false;
  std::function<void(Worker&)> body;
  /// Called once, when it has finished.
  std::function<void()> finished = {};
};

/// Several jobs at once in this process, on one modeled network. A job's workers know of no others: their
/// ranks, messages and notifications are those of the job, only links are shared. Same inputs, same results,
/// bit for bit; what happens at the same moment happens in the order of the jobs.
///
/// A job that has finished sends nothing new, but what its background strands have under way goes on.
class SimulatedJobs {
 public:
  /// The network must outlive this object.
  explicit SimulatedJobs(NetworkModel& network);
  ~SimulatedJobs();
  SimulatedJobs(const SimulatedJobs&) = delete;
  SimulatedJobs& operator=(const SimulatedJobs&) = delete;

  /// Jobs are numbered from 0. None may have a worker of another.
  void add(SimulatedJob job);

  /// Returns when all jobs have finished; may be called once. @throws what SimulatedWorld::run() does.
  void run();

  /// To be called once from a strand of a job that goes on for ever, when it has done what the others must
  /// wait for.
  void finish(std::size_t job);

  /// What one of a job's ranks has sent so far.
  double sent_bytes(std::size_t job, Rank rank) const;

  /// What a job did from its start until it had finished; events are those of all jobs.
  RunStatistics statistics(std::size_t job) const;
  /// The events of all jobs, and when the last job had ended.
  std::uint64_t events() const;
  double end_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starling
