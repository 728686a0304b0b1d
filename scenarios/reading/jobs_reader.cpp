#include "scenarios/reading/jobs_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "io/options/reader.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "scenarios/reading/workload_reader.hpp"
#include "topologies/placement/placement.hpp"

namespace starling {
namespace {

/// Fills in the defaults that depend on the job's number, on the job before it and on the scenario.
void complete(JobDescription& job, std::size_t number, int next_worker,
              const ScenarioDescription& description) {
  const JobDefaults defaults = job_defaults(description);
  if (!job.seed) job.seed = default_seed(description.seed, number);
  if (!job.iterations) job.iterations = defaults.iterations;
  if (!job.warmup_iterations) job.warmup_iterations = defaults.warmup_iterations;
  if (job.workers && !job.first_worker) job.first_worker = next_worker;
}

std::vector<Rank> workers_of(const JobDescription& job) {
  if (!job.workers) return job.ranks;
  std::vector<Rank> workers(static_cast<std::size_t>(*job.workers));
  std::iota(workers.begin(), workers.end(), *job.first_worker);
  return workers;
}

/// For each rank of a job, the place in the JSON to blame if its worker is wrong: its entry of `ranks`, or
/// `first_worker` or `workers`.
std::vector<JsonPlace> places_of_workers(const JobDescription& job, const JsonPlace& place, int all_workers) {
  if (!job.workers) return place.inside("ranks").elements();
  const bool begins_wrong = place.value().contains("first_worker") && *job.workers <= all_workers;
  return {static_cast<std::size_t>(*job.workers), place.inside(begins_wrong ? "first_worker" : "workers")};
}

/// The job to which each worker of the cluster belongs.
class Owners {
 public:
  explicit Owners(const ClusterOptions& cluster) : cluster_(cluster) {}

  /// Records the workers of a job; places[i] is blamed for workers[i]. @throws ScenarioError for a worker
  /// that does not exist or belongs to another job.
  void add(const std::string& job, const std::vector<Rank>& workers, const std::vector<JsonPlace>& places) {
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const Rank worker = workers[i];
      const JsonPlace& place = places[i];
      if (worker >= cluster_.workers)
        place.fail(fmt::format("job {} has worker {}, which the cluster does not have", job, worker),
                   fmt::format("workers 0 to {}", cluster_.workers - 1));
      const auto [owner, is_new] = owners_.try_emplace(worker, job);
      if (!is_new)
        place.fail(fmt::format("worker {} belongs to job {} already", worker, owner->second),
                   "workers that no other job has");
    }
  }

 private:
  const ClusterOptions& cluster_;
  std::map<Rank, std::string> owners_;
};

/// Whether every host of these workers has the same number of them, as consecutive ranks of the job.
bool are_even(const std::vector<Rank>& workers, int workers_per_host) {
  std::vector<int> hosts;
  for (const Rank worker : workers) hosts.push_back(worker / workers_per_host);
  const int of_each = ranks_of_each_host(hosts);
  return of_each > 0 && workers.size() % static_cast<std::size_t>(of_each) == 0;
}

/// Whether the cause is a trace in which some worker has no positive compute time.
bool has_idle_worker(const Imbalance& cause, int workers) {
  const auto* trace = std::get_if<ComputeTrace>(&cause);
  if (trace == nullptr) return false;
  std::vector<bool> computes(static_cast<std::size_t>(workers), false);
  for (const TracePoint& point : trace->points)
    if (point.worker < workers && point.compute_s > 0)
      computes[static_cast<std::size_t>(point.worker)] = true;
  return std::ranges::find(computes, false) != computes.end();
}

/// A job that repeats must take time in every iteration.
void require_time(const Scenario& job, int workers, const JsonPlace& place) {
  constexpr const char* expected = "false, or a workload that takes time";
  if (job.workload.compute_total_s() == 0)
    place.fail("a job that computes nothing could repeat forever at the same simulated time", expected);
  if (std::ranges::any_of(job.imbalance, [&](const auto& cause) { return has_idle_worker(cause, workers); }))
    place.fail(
        "a worker whose traced compute times are all 0 could repeat forever at the same simulated time",
        expected);
}

/// A scenario of this job alone, on the whole cluster; its algorithm is not set yet.
Scenario scenario_of(const Scenario& whole, const JobDescription& job, const std::vector<Rank>& workers,
                     const JsonPlace& place) {
  Scenario own = whole;
  own.jobs.clear();
  own.warnings.clear();
  own.name = job.name;
  own.seed = *job.seed;
  own.message_costs.seed = own.seed;
  own.iterations = *job.iterations;
  own.warmup_iterations = *job.warmup_iterations;
  WorkloadOptions workload =
      load_workload(job.workload, place.inside("workload"), static_cast<int>(workers.size()), own.seed);
  own.workload = std::move(workload.workload);
  own.compute_kind = workload.compute_kind;
  own.imbalance = std::move(workload.imbalance);
  if (job.repeats) require_time(own, static_cast<int>(workers.size()), place.inside("repeat"));
  own.algorithm_place = place.inside("algorithm").pointer();
  return own;
}

void read_job(Scenario& scenario, JobDescription job, std::size_t number, const JobDefaults& defaults,
              const JsonPlace& place, Owners& owners) {
  const std::vector<Rank> workers = workers_of(job);
  owners.add(job.name, workers, places_of_workers(job, place, scenario.cluster.workers));
  const auto describe = [&](OptionVisitor& visitor) { describe_job(job, number, defaults, visitor); };
  nlohmann::ordered_json& as_read = scenario.as_read.at("jobs").at(number);
  as_read = read_options(place, describe, {.seed = &*job.seed});
  // A default seed is not stored, so that it follows the scenario's seed if that is changed.
  if (!place.value().contains("seed")) as_read.erase("seed");
  Scenario own = scenario_of(scenario, job, workers, place);
  complete_algorithm(
      job.algorithm, place.inside("algorithm"), as_read.at("algorithm"),
      !is_block(scenario.cluster.placement) || are_even(workers, scenario.cluster.workers_per_host));
  own.algorithms = {job.algorithm};
  scenario.jobs.push_back(
      {.workers = workers, .start_s = job.start_s, .repeats = job.repeats, .scenario = std::move(own)});
}

}  // namespace

void read_jobs(Scenario& scenario, const ScenarioDescription& description, const JsonPlace& place) {
  if (description.precision)
    place.inside("iterations").fail("several jobs need a number of iterations", "an integer");
  Owners owners(scenario.cluster);
  const std::vector<JsonPlace> places = place.inside("jobs").elements();
  int next_worker = 0;
  for (std::size_t i = 0; i < description.jobs.size(); ++i) {
    JobDescription job = description.jobs[i];
    complete(job, i, next_worker, description);
    for (const SharedJob& other : scenario.jobs)
      if (other.scenario.name == job.name)
        places[i].fail(fmt::format("the name {} appears twice", job.name), "a name of its own");
    read_job(scenario, std::move(job), i, job_defaults(description), places[i], owners);
    next_worker = 1 + std::ranges::max(scenario.jobs.back().workers);
  }
}

}  // namespace starling
