#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/effort/run_effort.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/scenario_job.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/simulated/job_routes.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

/// One of a scenario's jobs with its routes, ready to run. The shared job and the network must outlive it.
struct ReadyJob {
  ReadyJob(const SharedJob& the_job, const Network& network);
  ReadyJob(const ReadyJob&) = delete;
  ReadyJob& operator=(const ReadyJob&) = delete;

  const SharedJob& shared;
  JobRoutes routes;
  ScenarioJob job;
};

/// One of the jobs that run at once, and its run.
struct JobRun {
  const ReadyJob& job;
  PreparedRun run;
};

/// The outcomes of jobs that ran at once, in their order. Points in time are counted from each job's start.
struct JobsOutcome {
  std::vector<Outcome> of_jobs;
  /// The critical path of each job's iterations, if Watching asks for it; nullopt for one that is too long.
  std::vector<std::optional<CriticalPath>> critical_paths = {};
  std::uint64_t events = 0;
  std::optional<LinkUses> links = {};
};

/// Simulates jobs at once on an otherwise idle network. No collective is evaluated: every message is
/// simulated, as other jobs may use its links at any time. The outcome of a job that repeats ends when its
/// last worker has done the job's own iterations. `trace` receives spans by the ranks of the whole cluster;
/// it may be null.
JobsOutcome run_at_once(const Scenario& scenario, const Network& network, const std::vector<JobRun>& jobs,
                        OptionalProgress progress, TraceSink* trace = nullptr, const Watching& watching = {});

}  // namespace starling
