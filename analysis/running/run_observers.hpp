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

/// Who says why a run took as long as it did, once it has ended.
class Explainer {
 public:
  Explainer() = default;
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;
  virtual ~Explainer() = default;

  /// How many iterations of each worker it takes to find out.
  virtual std::int64_t iterations(const ScenarioJob& job, std::size_t index) const = 0;
  /// Whether it keeps a log of as many iterations beside the run's own.
  virtual bool keeps_another_log(const ScenarioJob& job, std::size_t index) const = 0;
  /// Divides the waiting in the log of the algorithm of that number, and adds to its block of the result.
  /// Returns how many events that took.
  virtual std::uint64_t explain(const ScenarioJob& job, std::size_t index, IterationLog& log,
                                RunResult& result) = 0;
};

/// Who wants to know how a scenario's runs go on, in one process of perhaps several; every member may be
/// empty.
struct RunObservers {
  /// Called once the job is made, before anything runs; what it throws ends the matter.
  std::function<void(const ScenarioJob&)> job_made = {};
  /// The same of several jobs, with what they take together; once more with what repeating takes, where a
  /// job repeats, when each has run alone.
  std::function<void(const JobDemand&)> jobs_made = {};
  /// Called before anything runs with each sentence about algorithms, or jobs, that leave much of the network
  /// idle (traffic_warnings.hpp), which are looked for only if somebody wants to know.
  std::function<void(const std::string& warning)> warned_of_traffic = {};
  OptionalProgress progress = {};
  /// Receives the timelines, each after the call of run_begun for its run.
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
  /// The same of several jobs, when all is known, for each of them in turn.
  std::function<void(const Result&, const JobResult&, const IterationLog&)> job_finished = {};
};

}  // namespace starling
