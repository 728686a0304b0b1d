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

/// One of a scenario's jobs, made ready. The shared job and the network must outlive it.
struct ReadyJob {
  ReadyJob(const SharedJob& the_job, const Network& network);
  ReadyJob(const ReadyJob&) = delete;
  ReadyJob& operator=(const ReadyJob&) = delete;

  const SharedJob& shared;
  JobRoutes routes;
  ScenarioJob job;
};

/// A job of those that run at once.
struct JobRun {
  const ReadyJob& job;
  PreparedRun run;
};

/// What several jobs leave behind, in their order; points in time are counted from each job's start.
struct JobsOutcome {
  std::vector<Outcome> of_jobs;
  /// What the iterations of each job had to wait for, where that was asked for.
  std::vector<std::optional<CriticalPath>> critical_paths = {};
  std::uint64_t events = 0;
  std::optional<LinkUses> links = {};
};

/// Simulates jobs at once on an otherwise idle network, all their messages one by one: none knows when
/// another will use its links. What is learned of a job that repeats is what it did until its last worker had
/// done its iterations. `trace` is told the cluster's workers; it may be null.
JobsOutcome run_at_once(const Scenario& scenario, const Network& network, const std::vector<JobRun>& jobs,
                        OptionalProgress progress, TraceSink* trace = nullptr, const Watching& watching = {});

}  // namespace starling
