#include "analysis/jobs/several_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/demand/demand.hpp"
#include "analysis/jobs/job_run.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/network_facts.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/traffic_warnings.hpp"

namespace starling {
namespace {

std::optional<double> ratio(double of, double to) { return to > 0 ? std::optional(of / to) : std::nullopt; }

/// All runs of a scenario's jobs, one after the other.
class SeveralJobs {
 public:
  SeveralJobs(const Scenario& scenario, const RunObservers& observers)
      : scenario_(scenario),
        observers_(observers),
        network_(network_of(scenario.cluster, scenario.host_costs)) {
    for (const SharedJob& job : scenario.jobs) jobs_.emplace_back(job, network_);
    results_.resize(jobs_.size());
    if (observers.jobs_made)
      observers.jobs_made(demand([this](std::size_t) { return static_cast<double>(runs_of_each()); }));
    warn_of_traffic();
    observers.progress.expect(expected_steps());
  }

  Result result();

 private:
  using Numbers = std::vector<std::size_t>;

  Numbers all() const {
    Numbers numbers(jobs_.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }
  Numbers all_but(std::size_t one) const {
    Numbers numbers = all();
    std::erase(numbers, one);
    return numbers;
  }
  const Scenario& scenario_of(std::size_t number) const { return jobs_[number].shared.scenario; }
  /// Whether jobs are run with one left out. Of two jobs, leaving one out is running the other alone.
  bool needs_runs_without() const { return jobs_.size() > 2; }
  /// The number of runs that a job takes part in: alone, with all others, and with all but one for each
  /// other.
  std::size_t runs_of_each() const { return needs_runs_without() ? 1 + jobs_.size() : 2; }

  /// The demand of all runs together, in which each job does its own iterations `times(number)` times.
  JobDemand demand(const std::function<double(std::size_t number)>& times) const;
  double duration_alone_s(std::size_t number) const;
  void check_repeating() const;
  void warn_of_traffic() const;
  std::int64_t expected_steps() const;
  JobsOutcome run(const Numbers& numbers, TraceSink* trace = nullptr, const Watching& watching = {});
  void begin_result(std::size_t number);
  void run_alone(std::size_t number);
  void run_all();
  void run_without(std::size_t number);

  const Scenario& scenario_;
  const RunObservers& observers_;
  Network network_;
  std::deque<ReadyJob> jobs_;
  std::vector<JobResult> results_;
  std::vector<IterationLog> logs_;  // of the run of all jobs
  std::optional<LinkUses> links_;
  std::uint64_t events_ = 0;
};

JobDemand SeveralJobs::demand(const std::function<double(std::size_t number)>& times) const {
  const RunConditions conditions{.watching = observers_.watching,
                                 .is_traced = observers_.trace != nullptr,
                                 .sends_all = true,
                                 .explainer = observers_.explainer};
  JobDemand sum;
  for (const std::size_t number : all()) {
    const JobDemand own = demand_of(jobs_[number].job, conditions);
    sum.time_s += times(number) * own.time_s;
    sum.memory_bytes += own.memory_bytes;
    sum.iterations_bytes += own.iterations_bytes;
    sum.records_bytes += own.records_bytes;
    sum.files_bytes += own.files_bytes;
    sum.estimate.time_s += times(number) * own.estimate.time_s;
    sum.estimate.memory_bytes += own.estimate.memory_bytes;
  }
  return sum;
}

double SeveralJobs::duration_alone_s(std::size_t number) const {
  return static_cast<double>(scenario_of(number).iterations) * results_[number].alone_iteration_time_s.mean;
}

/// Reports the demand once more, with the iterations that jobs repeat until all others have done theirs: this
/// can be estimated only when each job has run alone.
void SeveralJobs::check_repeating() const {
  if (!observers_.jobs_made || std::ranges::none_of(scenario_.jobs, &SharedJob::repeats)) return;
  double end_s = 0;
  for (const std::size_t number : all())
    end_s = std::max(end_s, jobs_[number].shared.start_s + duration_alone_s(number));
  const auto runs_with_others = static_cast<double>(runs_of_each() - 1);
  observers_.jobs_made(demand([&](std::size_t number) {
    const SharedJob& job = jobs_[number].shared;
    const double times_in_each = job.repeats ? (end_s - job.start_s) / duration_alone_s(number) : 1;
    return 1 + runs_with_others * times_in_each;
  }));
}

void SeveralJobs::warn_of_traffic() const {
  if (!observers_.warned_of_traffic) return;
  for (const ReadyJob& job : jobs_)
    for (const std::string& warning :
         traffic_warnings(PlacedJob{.job = job.job, .network = network_, .workers = job.shared.workers}))
      observers_.warned_of_traffic(warning);
}

std::int64_t SeveralJobs::expected_steps() const {
  std::int64_t steps = 0;
  for (const ReadyJob& job : jobs_) {
    std::int64_t iterations = static_cast<std::int64_t>(runs_of_each()) * job.shared.scenario.iterations;
    if (observers_.explainer != nullptr) iterations += observers_.explainer->iterations(job.job, 0);
    if (has_bucket_search(job.job.options(0))) iterations += bucket_search_iterations();
    steps += iterations * job.job.workers();
  }
  return steps;
}

JobsOutcome SeveralJobs::run(const Numbers& numbers, TraceSink* trace, const Watching& watching) {
  std::vector<JobRun> runs;
  for (const std::size_t number : numbers)
    runs.push_back({.job = jobs_[number], .run = jobs_[number].job.run(0)});
  JobsOutcome outcome = run_at_once(scenario_, network_, runs, observers_.progress, trace, watching);
  events_ += outcome.events;
  return outcome;
}

void SeveralJobs::begin_result(std::size_t number) {
  ReadyJob& ready = jobs_[number];
  const Scenario& own = scenario_of(number);
  JobResult& result = results_[number];
  result.run.label = own.name;
  result.run.algorithm = own.algorithms.front().as_read;
  result.compute = compute_facts(own.workload, true);
  result.workers = ready.shared.workers;
  result.seed = own.seed;
  result.start_s = ready.shared.start_s;
  if (!has_bucket_search(ready.job.options(0))) return;
  observers_.progress.begin(own.name + " (bucket search)");
  // Trials run without the other jobs.
  const auto run_trial = [&](const PreparedRun& trial) {
    JobsOutcome outcome =
        run_at_once(scenario_, network_, {{.job = ready, .run = trial}}, observers_.progress);
    events_ += outcome.events;
    return std::move(outcome.of_jobs.front());
  };
  search_buckets(ready.job, 0, run_trial, result.run);
}

void SeveralJobs::run_alone(std::size_t number) {
  observers_.progress.begin(scenario_of(number).name + " alone");
  const std::vector<Outcome> outcome = run({number}).of_jobs;
  results_[number].alone_iteration_time_s =
      iteration_time(outcome.front().log, scenario_of(number).warmup_iterations);
}

void SeveralJobs::run_all() {
  observers_.progress.begin("all jobs");
  if (observers_.run_begun) observers_.run_begun("all jobs", hosts_by_rank(network_));
  JobsOutcome outcome = run(all(), observers_.trace, observers_.watching);
  links_ = std::move(outcome.links);
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    Measurement measurement{.outcome = std::move(outcome.of_jobs[i])};
    if (!outcome.critical_paths.empty()) {
      measurement.critical_path = std::move(outcome.critical_paths[i]);
      measurement.is_path_too_long = !measurement.critical_path;
    }
    RunResult& result = results_[i].run;
    if (observers_.explainer != nullptr)
      events_ += observers_.explainer->explain(jobs_[i].job, 0, measurement.outcome.log, result);
    describe(jobs_[i].job, 0, measurement, result);
    results_[i].slowdown = ratio(result.iteration_time_s.mean, results_[i].alone_iteration_time_s.mean);
    logs_.push_back(std::move(measurement.outcome.log));
  }
}

void SeveralJobs::run_without(std::size_t number) {
  const Numbers others = all_but(number);
  std::vector<Outcome> outcomes;
  if (needs_runs_without()) {
    observers_.progress.begin("all but " + scenario_of(number).name);
    outcomes = run(others).of_jobs;
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    JobResult& result = results_[others[i]];
    const double without_s =
        outcomes.empty() ? result.alone_iteration_time_s.mean
                         : iteration_time(outcomes[i].log, scenario_of(others[i]).warmup_iterations).mean;
    result.slowed_by.push_back({.job = scenario_of(number).name,
                                .iteration_time_s = without_s,
                                .slowdown = ratio(result.run.iteration_time_s.mean, without_s)});
  }
}

Result SeveralJobs::result() {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < jobs_.size(); ++i) begin_result(i);
  for (std::size_t i = 0; i < jobs_.size(); ++i) run_alone(i);
  check_repeating();
  run_all();
  for (std::size_t i = 0; i < jobs_.size(); ++i) run_without(i);
  Result result{.scenario = scenario_.as_read,
                .engine = engine_name(scenario_.engine),
                .transport = transport_facts(scenario_, network_),
                .placement = placement_facts(scenario_, network_),
                .runs = {},
                .simulation = {
                    .wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                    .events = events_,
                    .peak_memory_bytes = peak_memory_bytes()}};
  result.links = std::move(links_);
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    result.jobs.push_back(std::move(results_[i]));
    if (observers_.job_finished) observers_.job_finished(result, result.jobs.back(), logs_[i]);
  }
  return result;
}

}  // namespace

Result simulate_jobs(const Scenario& scenario, const RunObservers& observers) {
  return SeveralJobs(scenario, observers).result();
}

}  // namespace starling
