#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "analysis/effort/job_demand.hpp"
#include "analysis/results/result.hpp"
#include "analysis/running/run_evaluator.hpp"
#include "analysis/running/scenario_job.hpp"
#include "io/terminal/progress_line.hpp"
#include "sim/trace.hpp"
#include "workloads/records/iteration_log.hpp"

namespace starling {

/// Explains why a run took as long as it did, once it has ended.
class Explainer {
 public:
  Explainer() = default;
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;
  virtual ~Explainer() = default;

  /// How many further iterations of each worker the explanation simulates.
  virtual std::int64_t iterations(const ScenarioJob& job, std::size_t index) const = 0;
  /// Whether it keeps a second log, of as many iterations as the run's own.
  virtual bool keeps_another_log(const ScenarioJob& job, std::size_t index) const = 0;
  /// Divides the waiting in the log of the algorithm with that index by cause, and adds to its block of the
  /// result. Returns how many events that took.
  virtual std::uint64_t explain(const ScenarioJob& job, std::size_t index, IterationLog& log,
                                RunResult& result) = 0;
};

/// Callbacks for the runs of a scenario, in one process of perhaps several; every member may be empty.
struct RunObservers {
  /// Called once the job is made, before anything runs; an exception from it prevents the run.
  std::function<void(const ScenarioJob&)> job_made = {};
  /// The same for several jobs, with their demand together; called again with that of repeating, where a job
  /// repeats, when each has run alone.
  std::function<void(const JobDemand&)> jobs_made = {};
  /// Called before anything runs with each warning about algorithms, or jobs, that leave much of the network
  /// idle (traffic_warnings.hpp). Without it no warnings are looked for.
  std::function<void(const std::string& warning)> warned_of_traffic = {};
  OptionalProgress progress = {};
  /// Receives the timelines, each after run_begun was called for its run.
  TraceSink* trace = nullptr;
  Watching watching = {};
  /// Called before every run that is measured, with the host of each of its ranks.
  std::function<void(const std::string& label, std::span<const int> host_of_rank)> run_begun = {};
  /// Without one, waiting is not divided by cause.
  Explainer* explainer = nullptr;
  /// Without one, whole runs are never evaluated.
  const RunEvaluator* evaluator = nullptr;
  /// Called after every algorithm with the result so far, the last run being the one that just ended, and
  /// that run's log.
  std::function<void(const Result&, const IterationLog&)> run_finished = {};
  /// The same for several jobs: called for each of them in turn when all are finished.
  std::function<void(const Result&, const JobResult&, const IterationLog&)> job_finished = {};
};

}  // namespace starling
