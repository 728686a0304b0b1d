#include "analysis/jobs/job_run.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/critical_path/critical_paths.hpp"
#include "analysis/critical_path/traced_paths.hpp"
#include "analysis/jobs/sent_per_iteration.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "analysis/running/watched_links.hpp"
#include "sim/networks/watched_network.hpp"
#include "sim/simulated/simulated_jobs.hpp"

namespace starling {
namespace {

/// The iterations of a job that repeats: more than it will ever do.
constexpr std::int64_t endless = std::int64_t{1} << 40;

/// Forwards a job's spans to a timeline of the whole cluster, with the job's ranks translated to the
/// cluster's. A collective of all ranks of the job there becomes one of a group.
class JobTrace final : public TraceSink {
 public:
  JobTrace(TraceSink& trace, const JobRoutes& routes) : trace_(trace), routes_(routes) {}

  void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override {
    peers_.clear();
    for (const Rank peer : details.peers) peers_.push_back(routes_.network_rank(peer));
    SpanDetails of_workers = details;
    of_workers.peers = peers_;
    if (!details.collective.name.empty() && peers_.empty()) of_workers.peers = routes_.network_ranks();
    trace_.span(routes_.network_rank(rank), strand, name, start_s, end_s, of_workers);
  }

 private:
  TraceSink& trace_;
  const JobRoutes& routes_;
  std::vector<Rank> peers_;
};

/// The state of a job while it runs.
class JobInRun {
 public:
  JobInRun(const JobRun& of, SimulatedJobs& jobs, std::size_t number, OptionalProgress progress,
           TraceSink* trace)
      : of_(of),
        jobs_(jobs),
        number_(number),
        outcome_(of.job.routes.workers(), of.run.iterations),
        participation_(of.job.routes.workers()),
        training_(training_job(of.run, outcome_, nullptr)),
        sizes_(of.run.workload) {
    training_.participation = &participation_;
    training_.load = counted(of.run.load, progress);
    if (of.job.shared.repeats) repeat();
    if (trace != nullptr) trace_.emplace(*trace, of.job.routes);
  }
  JobInRun(const JobInRun&) = delete;
  JobInRun& operator=(const JobInRun&) = delete;

  SimulatedJob described() {
    const SharedJob& shared = of_.job.shared;
    return {.name = shared.scenario.name,
            .routes = of_.job.routes,
            .costs = shared.scenario.message_costs,
            .communication_slowdown = of_.run.workload.communication_slowdown,
            .trace = trace_ ? &*trace_ : nullptr,
            .start_s = shared.start_s,
            .runs_forever = shared.repeats,
            .body =
                [this](Worker& worker) {
                  Replica own = sizes_.another();
                  of_.run.algorithm.run(worker, own, training_);
                },
            .finished = [this] { finish(); }};
  }

  Outcome take_outcome() {
    outcome_.statistics = jobs_.statistics(number_);
    for (Rank rank = 0; rank < outcome_.log.workers(); ++rank) {
      for (IterationRecord& record : outcome_.log.of(rank)) {
        record.end_s -= of_.job.shared.start_s;
        record.ready_s -= of_.job.shared.start_s;
      }
    }
    return std::move(outcome_);
  }

 private:
  void finish() {
    outcome_.participation = participation_;
    if (sent_) outcome_.bytes_per_worker_per_iteration = sent_->mean_bytes();
  }

  /// Makes the job repeat. A worker asks for the load of each iteration once, when it has done all before it:
  /// that is where the traffic is counted, and the end of the job's own iterations noticed.
  void repeat() {
    outcome_.log.drop_further();
    training_.iterations = endless;
    const ScenarioJob& job = of_.job.job;
    sent_.emplace(outcome_.log.workers(), job.options(0).pattern_period(job.facts()));
    training_.load = [this, own = std::move(training_.load)](Rank rank, std::int64_t iteration) {
      sent_->begin(rank, iteration, jobs_.sent_bytes(number_, rank));
      if (iteration < of_.run.iterations) return own(rank, iteration);
      if (iteration == of_.run.iterations && ++workers_done_ == outcome_.log.workers()) jobs_.finish(number_);
      return of_.run.load(rank, iteration);
    };
  }

  const JobRun& of_;
  SimulatedJobs& jobs_;
  std::size_t number_;
  Outcome outcome_;
  ParticipationLog participation_;
  TrainingJob training_;
  Replica sizes_;
  std::optional<JobTrace> trace_;
  int workers_done_ = 0;
  std::optional<SentPerIteration> sent_;  // of a job that repeats
};

PathsOfJob paths_of(const JobRun& job, const Network& network, TraceSink* trace, const Watching& watching) {
  return {.workers = job.job.routes.workers(),
          .iterations = job.run.iterations,
          .warmup_iterations = job.job.shared.scenario.warmup_iterations,
          .is_asked_for = watching.critical_path,
          .start_s = job.job.shared.start_s,
          .network_workers = static_cast<std::size_t>(network.workers()),
          .links = network.links().size(),
          .listener = watching.critical_path && trace != nullptr
                          ? timeline_listener(*trace, network.links(), job.job.shared.workers)
                          : PathListener()};
}

/// Translates the cluster's ranks in a path to ranks in their own jobs, and names the job of those that are
/// not of this one.
std::optional<CriticalPath> named(std::optional<CriticalPath> path, const JobRun& own,
                                  const std::vector<JobRun>& jobs) {
  if (!path) return path;
  for (PathPart& part : path->parts) {
    for (const JobRun& job : jobs) {
      const std::vector<Rank>& workers = job.job.shared.workers;
      const auto worker = std::ranges::find(workers, part.rank);
      if (part.rank < 0 || worker == workers.end()) continue;
      part.rank = static_cast<Rank>(worker - workers.begin());
      if (&job != &own) part.job = job.job.shared.scenario.name;
      break;
    }
  }
  return path;
}

}  // namespace

ReadyJob::ReadyJob(const SharedJob& the_job, const Network& network)
    : shared(the_job), routes(network, the_job.workers), job(the_job.scenario, routes) {}

JobsOutcome run_at_once(const Scenario& scenario, const Network& network, const std::vector<JobRun>& jobs,
                        OptionalProgress progress, TraceSink* trace, const Watching& watching) {
  const std::unique_ptr<NetworkModel> model = make_network_model(scenario, network);
  LinkWatch links(network.links());
  const bool reports_causes = watching.critical_path || trace != nullptr;
  CausalLog causes(steps_to_keep(watching.critical_path));
  CriticalPaths paths(causes);
  WatchedNetwork watched(*model, network, watching.links ? &links : nullptr, trace,
                         reports_causes ? &causes : nullptr);
  const bool is_watched = watching.anything() || trace != nullptr;
  std::deque<JobInRun> in_run;
  SimulatedJobs simulated(is_watched ? watched : *model);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    simulated.add(in_run.emplace_back(jobs[i], simulated, i, progress, trace).described());
    if (reports_causes) paths.add(jobs[i].job.shared.workers, paths_of(jobs[i], network, trace, watching));
  }
  simulated.run();
  JobsOutcome outcome;
  for (JobInRun& job : in_run) outcome.of_jobs.push_back(job.take_outcome());
  if (watching.critical_path)
    for (std::size_t i = 0; i < jobs.size(); ++i)
      outcome.critical_paths.push_back(named(paths.mean(i, network.links()), jobs[i], jobs));
  outcome.events = simulated.events();
  if (watching.links)
    outcome.links = link_uses(links, watched.does_model_report(), simulated.end_s(), std::nullopt);
  return outcome;
}

}  // namespace starling
