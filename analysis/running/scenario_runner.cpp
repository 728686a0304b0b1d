#include "analysis/running/scenario_runner.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "algorithms/training/synchronous/bucket_search.hpp"
#include "algorithms/training/registry.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/network_facts.hpp"
#include "io/scenario_error.hpp"
#include "sim/networks/event_network.hpp"
#include "topologies/graphs/spectral_gap.hpp"
#include "workloads/learning/learning_workload.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

// A trial of a bucket size: enough iterations for the pipeline to fill, and a few to compare.
constexpr std::int64_t trial_warmup_iterations = 1;
constexpr std::int64_t trial_iterations = 5;

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

/// The same workers on a network whose messages take no time (or less than a nanosecond).
Network free_network(const Network& network) {
  constexpr LinkOptions free_link{.bandwidth_Bps = 1e18, .latency_s = 0};
  return build_network({.workers = network.workers(), .network = {.kind = StarOptions{.link = free_link}}});
}

/// How many iterations each worker had ended when the first one had ended its last.
std::vector<std::int64_t> iterations_at_first_end(const IterationLog& log) {
  double first_end_s = log.of(0).back().end_s;
  for (Rank rank = 1; rank < log.workers(); ++rank)
    first_end_s = std::min(first_end_s, log.of(rank).back().end_s);
  std::vector<std::int64_t> iterations;
  for (Rank rank = 0; rank < log.workers(); ++rank)
    iterations.push_back(
        std::count_if(log.of(rank).begin(), log.of(rank).end(),
                      [&](const IterationRecord& record) { return record.end_s <= first_end_s; }));
  return iterations;
}

Participation participation_of(const Outcome& outcome, const TrainingOptions& options) {
  const ParticipationLog& log = outcome.participation;
  Participation result{.mean_active_workers = static_cast<double>(outcome.log.workers())};
  if (is_synchronous(options)) return result;
  result.details = Participation::Details{.operations = log.operations(),
                                          .fresh_contributions = log.fresh_contributions(),
                                          .absent_contributions = log.absent_contributions(),
                                          .active_workers = log.active_workers_histogram(),
                                          .staleness = log.staleness_histogram(),
                                          .max_lead_iterations = log.max_lead_iterations(),
                                          .iterations_at_first_end = iterations_at_first_end(outcome.log)};
  if (log.operations() == 0) return result;
  result.mean_active_workers = log.mean_active_workers();
  result.stale_contributions = log.stale_contributions();
  result.max_staleness_iterations = log.max_staleness_iterations();
  return result;
}

bool is_searched(const TrainingOptions& options) {
  const auto* dear = options.get_if<DearOptions>();
  return dear != nullptr && !dear->bucket_bytes;
}

/// The scenario's algorithm block with what the search found in place of "auto".
Json found_block(Json block, const BucketSearchResult& found) {
  Json trials = Json::array();
  for (const BucketTrial& trial : found.trials)
    trials.push_back({{"bucket_bytes", trial.bucket_bytes}, {"iteration_time_s", trial.iteration_time_s}});
  block["bucket_bytes"] = found.bucket_bytes;
  block["bucket_search"] = {{"iterations_per_trial", trial_iterations}, {"trials", std::move(trials)}};
  return block;
}

// Beyond this many workers the spectral gap would take longer than many runs.
constexpr int most_workers_with_spectral_gap = 1024;

/// The spectral gap of the options' graph, if they have one; null where it takes too long to compute.
std::optional<Json> spectral_gap_of(const TrainingOptions& options, const ClusterFacts& facts) {
  if (!options.has_mixing_matrix()) return std::nullopt;
  if (facts.workers > most_workers_with_spectral_gap) return Json(nullptr);
  try {
    return spectral_gap(*options.mixing_matrix(facts));
  } catch (const std::runtime_error&) {  // no convergence
    return Json(nullptr);
  }
}

}  // namespace

std::vector<int> hosts_of_ranks(const Network& network) {
  std::vector<int> hosts(static_cast<std::size_t>(network.workers()));
  for (Rank rank = 0; rank < network.workers(); ++rank)
    hosts[static_cast<std::size_t>(rank)] = network.host_of(rank);
  return hosts;
}

ScenarioRunner::ScenarioRunner(const Scenario& scenario, const RunObservers& observers)
    : scenario_(scenario),
      observers_(observers),
      network_(network_of(scenario.cluster, scenario.host_costs)),
      imbalance_(scenario.imbalance, network_.workers(), scenario.seed, scenario.workload.compute_total_s()),
      facts_(facts_of(network_, scenario.message_costs)) {
  if (scenario.learning)
    learning_workload_ = learning_workload(scenario.workload, scenario.learning->task->parameters());
}

Result ScenarioRunner::run_all() {
  const auto start = std::chrono::steady_clock::now();
  if (algorithms_.empty()) make_algorithms();
  expect_progress();
  Result result{.scenario = scenario_.as_read, .engine = engine(), .runs = {}, .simulation = {}};
  for (std::size_t i = 0; i < scenario_.algorithms.size(); ++i) {
    RunResult run_result;
    const Outcome outcome = run(i, run_result);
    const double first_s =
        result.runs.empty() ? run_result.iteration_time_s.mean : result.runs.front().iteration_time_s.mean;
    if (run_result.iteration_time_s.mean > 0) run_result.speedup = first_s / run_result.iteration_time_s.mean;
    result.runs.push_back(std::move(run_result));
    result.simulation = {
        .wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
        .events = events_,
        .peak_memory_bytes = peak_memory_bytes()};
    if (observers_.run_finished) observers_.run_finished(result, outcome.log);
  }
  return result;
}

/// An algorithm that does not fit the cluster is reported before the first one runs for an hour.
void ScenarioRunner::make_algorithms() {
  for (Rank rank = 0; rank < network_.workers(); ++rank)
    if (imbalance_.failure_iteration(rank))
      throw ScenarioError(
          {.file = scenario_.file.string(),
           .place = "/workload/imbalance",
           .problem = "worker " + std::to_string(rank) +
                      " fails, and the others would wait for it forever: synchronous training "
                      "cannot go on without a worker",
           .got = "",
           .expected = ""});
  for (std::size_t i = 0; i < scenario_.algorithms.size(); ++i) {
    algorithms_.push_back(make(scenario_.algorithms[i].options, i, scenario_.workload));
    if (learning_workload_)
      learning_algorithms_.push_back(make(scenario_.algorithms[i].options, i, *learning_workload_));
  }
}

void ScenarioRunner::expect_progress() const {
  if (observers_.progress == nullptr) return;
  std::int64_t iterations = 0;
  for (const ScenarioAlgorithm& algorithm : scenario_.algorithms) {
    iterations += scenario_.iterations * runs_of_each();
    if (!is_synchronous(algorithm.options) && !scenario_.imbalance.empty())
      iterations += scenario_.iterations;
    if (is_searched(algorithm.options)) iterations += BucketSearchOptions{}.trials * trial_iterations;
  }
  observers_.progress->expect(iterations * network_.workers());
}

std::unique_ptr<TrainingAlgorithm> ScenarioRunner::make(const TrainingOptions& options, std::size_t index,
                                                        const Workload& workload) const {
  try {
    return make_training_algorithm(options, workload, facts_);
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({.file = scenario_.file.string(),
                         .place = "/algorithms/" + std::to_string(index),
                         .problem = error.what(),
                         .got = "",
                         .expected = ""});
  }
}

/// Asked once per worker and iteration, which makes it the place to see how the run goes on.
Load ScenarioRunner::load(Rank rank, std::int64_t iteration) const {
  if (observers_.progress != nullptr) observers_.progress->advance();
  return imbalance_.load(rank, iteration);
}

TrainingJob ScenarioRunner::learning_job(IterationLog& log, ModelObserver& learned) const {
  return {.workload = *learning_workload_,
          .iterations = scenario_.iterations,
          .load = [this](Rank rank, std::int64_t iteration) { return load(rank, iteration); },
          .log = log,
          .learning = &learned,
          .seed = scenario_.seed};
}

Replica ScenarioRunner::learner(Rank rank) const {
  const LearningOptions& learning = *scenario_.learning;
  return learning_replica(*learning_workload_, learning.task, rank, learning.optimizer);
}

TrainingJob ScenarioRunner::timed_job(std::int64_t iterations, IterationLog& log,
                                      ParticipationLog& participation) const {
  return {.workload = scenario_.workload,
          .iterations = iterations,
          .load = [this](Rank rank, std::int64_t iteration) { return load(rank, iteration); },
          .log = log,
          .participation = &participation,
          .seed = scenario_.seed};
}

RunStatistics ScenarioRunner::simulate_on(const Machine& machine, const TrainingAlgorithm& algorithm,
                                          const TrainingJob& job, TraceSink* trace,
                                          const std::function<Replica(Rank)>& replica) {
  SimulatedWorld world(machine.network, machine.model, machine.costs, trace);
  world.run([&](Worker& worker) {
    Replica own = replica(worker.rank());
    algorithm.run(worker, own, job);
  });
  events_ += world.statistics().events;
  return world.statistics();
}

/// Where not everyone waits for everyone, only a run without communication tells what waiting is imbalance.
void ScenarioRunner::attribute_waiting_of(const TrainingOptions& options, const TrainingAlgorithm& algorithm,
                                          IterationLog& log) {
  if (is_synchronous(options)) return attribute_waiting(log);
  if (scenario_.imbalance.empty()) return;
  const Network network = free_network(network_);
  EventNetwork model(network);
  IterationLog free(network_.workers());
  ParticipationLog participation(network_.workers());
  simulate_on({network, model, {}}, algorithm, timed_job(scenario_.iterations, free, participation), nullptr,
              [this](Rank) { return Replica(scenario_.workload); });
  attribute_waiting(log, free);
}

double ScenarioRunner::trial_time_s(DearOptions options, double bucket_bytes, std::size_t index) {
  options.bucket_bytes = bucket_bytes;
  const Outcome outcome = execute(*make(options, index, scenario_.workload), trial_iterations, nullptr);
  return iteration_time(outcome.log, trial_warmup_iterations).mean;
}

Outcome ScenarioRunner::run(std::size_t index, RunResult& result) {
  const ScenarioAlgorithm& algorithm = scenario_.algorithms[index];
  TrainingOptions options = algorithm.options;
  result.label = algorithm.label;
  result.algorithm = algorithm.as_read;
  if (is_searched(options)) {
    if (observers_.progress != nullptr) observers_.progress->begin(result.label + " (bucket search)");
    DearOptions dear = *options.get_if<DearOptions>();
    const BucketSearchResult found =
        search_bucket_bytes([&](double bucket_bytes) { return trial_time_s(dear, bucket_bytes, index); });
    dear.bucket_bytes = found.bucket_bytes;
    options = dear;
    result.algorithm = found_block(std::move(result.algorithm), found);
    algorithms_[index] = make(options, index, scenario_.workload);
    if (learning_workload_) learning_algorithms_[index] = make(options, index, *learning_workload_);
  }

  if (observers_.progress != nullptr) observers_.progress->begin(result.label);
  if (observers_.trace != nullptr) observers_.trace->begin_run(result.label, hosts_of_ranks(network_));
  Outcome outcome = measure(index, result);
  if (observers_.wants_explanation) {
    attribute_waiting_of(options, *algorithms_[index], outcome.log);
    if (const auto gap = spectral_gap_of(options, facts_)) result.algorithm["spectral_gap"] = *gap;
  }
  describe(outcome, options, result);
  if (learning_workload_) result.learning = learn(index, outcome.log);
  return outcome;
}

void ScenarioRunner::describe(const Outcome& outcome, const TrainingOptions& options,
                              RunResult& result) const {
  const double workers = network_.workers();
  const RunStatistics& statistics = outcome.statistics;
  result.workers = network_.workers();
  result.iterations = scenario_.iterations - scenario_.warmup_iterations;
  result.iteration_time_s = iteration_time(outcome.log, scenario_.warmup_iterations);
  if (result.iteration_time_s.mean > 0)
    result.throughput_samples_per_s = workers * scenario_.workload.batch_size / result.iteration_time_s.mean;
  result.makespan_s = statistics.makespan_s;
  result.breakdown_s = breakdown(outcome.log, scenario_.warmup_iterations);
  result.traffic = {.messages = statistics.messages,
                    .bytes = statistics.bytes,
                    .bytes_per_worker_per_iteration =
                        statistics.bytes / workers / static_cast<double>(scenario_.iterations)};
  result.participation = participation_of(outcome, options);
}

}  // namespace starling
