#include "sim/simulated/simulated_jobs.hpp"

#include <deque>
#include <utility>

#include "base/errors.hpp"
#include "sim/simulated/simulated_ranks.hpp"

namespace starling {
namespace {

struct RunningJob {
  RunningJob(Scheduler& the_scheduler, NetworkModel& network, SimulatedJob the_job)
      : job(std::move(the_job)),
        scheduler(the_scheduler),
        strands(scheduler, job.name, job.runs_forever, [this] { finish(); }),
        ranks(
            scheduler, job.routes, [this](Rank rank) { return job.routes.network_rank(rank); }, network,
            job.costs, job.trace, job.communication_slowdown, &strands) {}

  void start() {
    for (SimulatedWorker& worker : ranks.workers)
      strands.spawn(
          worker.rank(), "main",
          [this, &worker] {
            worker.sleep_until(job.start_s);
            job.body(worker);
          },
          StrandKind::foreground);
    if (job.runs_forever) scheduler.spawn(0, "end of " + job.name, [this] { wait_for_finish(); });
  }

  void finish() {
    STARLING_INVARIANT(!std::exchange(has_finished, true));
    statistics = ranks.messages.statistics;
    statistics.makespan_s = scheduler.now() - job.start_s;
    if (job.finished) job.finished();
    if (waits != nullptr) scheduler.make_ready(*waits);
  }

  /// Runs in a foreground strand, which keeps the run going until the job has finished.
  void wait_for_finish() {
    waits = &scheduler.current();
    while (!has_finished) scheduler.block({.what = WaitsFor::What::event, .name = "its iterations"});
    waits = nullptr;
  }

  SimulatedJob job;
  Scheduler& scheduler;
  JobStrands strands;
  SimulatedRanks ranks;
  RunStatistics statistics;
  Strand* waits = nullptr;
  bool has_finished = false;
};

}  // namespace

struct SimulatedJobs::Impl {
  explicit Impl(NetworkModel& the_network) : network(the_network), scheduler(network.time_source()) {
    network.attach(scheduler);
  }

  NetworkModel& network;
  std::deque<RunningJob> jobs;
  // Last, so that its strands are unwound while the objects that they refer to still exist.
  Scheduler scheduler;
  bool has_run = false;
};

SimulatedJobs::SimulatedJobs(NetworkModel& network) : impl_(std::make_unique<Impl>(network)) {}

SimulatedJobs::~SimulatedJobs() = default;

void SimulatedJobs::add(SimulatedJob job) {
  impl_->jobs.emplace_back(impl_->scheduler, impl_->network, std::move(job));
}

void SimulatedJobs::run() {
  STARLING_INVARIANT(!std::exchange(impl_->has_run, true));
  for (RunningJob& job : impl_->jobs) job.start();
  impl_->scheduler.run();
}

void SimulatedJobs::finish(std::size_t job) { impl_->jobs[job].finish(); }

double SimulatedJobs::sent_bytes(std::size_t job, Rank rank) const {
  return impl_->jobs[job].ranks.messages.endpoints[static_cast<std::size_t>(rank)].sent_bytes();
}

RunStatistics SimulatedJobs::statistics(std::size_t job) const {
  STARLING_INVARIANT(impl_->jobs[job].has_finished);
  return impl_->jobs[job].statistics;
}

double SimulatedJobs::end_s() const { return impl_->scheduler.now(); }

std::uint64_t SimulatedJobs::events() const { return impl_->scheduler.events(); }

}  // namespace starling
