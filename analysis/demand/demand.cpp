#include "analysis/demand/demand.hpp"

#include <algorithm>

#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

// Lower bounds, from the least that was measured; most runs take several times as much.
constexpr double s_per_iteration_of_worker = 5e-7;
constexpr double s_per_modeled_iteration = 1e-7;
constexpr double s_per_message = 5e-8;
constexpr double bytes_of_program = 6e6;
constexpr double bytes_per_worker = 1e3;
constexpr double bytes_per_message_under_way = 400;
// A row of iterations.csv has 155 to 157 B plus the label where workers differ. This is more, as a file that
// does not fit on the disk is lost.
constexpr double bytes_per_row = 200;
// For each iteration: the mean over workers, and how many have ended it.
constexpr double bytes_per_iteration = 16;
constexpr double bytes_per_operation = 4;  // for each partial collective, how many workers took part

// Edges of a graph are counted only between these numbers of workers: with fewer, even a complete graph needs
// little memory; with more, graphs must have few edges per worker (most_weights).
constexpr int least_workers_of_dense_graph = 2048;
constexpr int most_workers_of_dense_graph = 1 << 16;

/// The messages of an algorithm's iteration that evaluating collectives does not avoid: one along each edge
/// of its graph.
double messages_of(const ScenarioJob& job, std::size_t index) {
  const int workers = job.workers();
  if (workers < least_workers_of_dense_graph || workers > most_workers_of_dense_graph) return 0;
  const std::optional<MixingMatrix> matrix = job.options(index).mixing_matrix(job.facts());
  double messages = 0;
  if (matrix)
    for (Rank rank = 0; rank < workers; ++rank) messages += matrix->graph().out_degree(rank, 0);
  return messages;
}

/// The estimated effort of the `index`-th algorithm, with so many bytes of records in memory. A timeline
/// shows messages, so a run that was evaluated is then repeated message by message.
RunEffort estimated_effort(const ScenarioJob& job, std::size_t index, const RunConditions& conditions,
                           double logged_bytes) {
  RunShape shape = shape_of_run(job, index, conditions);
  shape.logged_bytes = logged_bytes;
  RunEffort effort = effort_of(shape, conditions.watching);
  if (!conditions.is_traced) return effort;
  RunConditions shown = conditions;
  shown.sends_all = true;
  RunShape traced = shape_of_run(job, index, shown);
  traced.logged_bytes = logged_bytes;
  const RunEffort of_traced = effort_of(traced, conditions.watching);
  const bool may_evaluate =
      !conditions.sends_all &&
      (!shape.has_workers || may_evaluate_collectives(job.scenario(), job.run(index), {}));
  const bool is_one_run = conditions.watching.anything() || !may_evaluate;
  effort.time_s = (is_one_run ? 0 : effort.time_s) + of_traced.time_s + timeline_s(traced);
  effort.memory_bytes = std::max(effort.memory_bytes, of_traced.memory_bytes);
  return effort;
}

/// Vectors of parameters that every worker keeps: its parameters, its gradients, and the observer's copy.
constexpr double kept_of_each_parameter = 3;

double learned_parameters(const ScenarioJob& job) {
  const std::optional<LearningOptions>& learning = job.scenario().learning;
  return learning ? job.workers() * static_cast<double>(learning->task->parameters()) : 0;
}

double kept_by(const OptimizerOptions& optimizer) {
  if (optimizer.kind == OptimizerKind::sgd) return optimizer.momentum != 0 ? 1 : 0;
  return optimizer.kind == OptimizerKind::accum_adam ? 3 : 2;
}

LearningShape learning_shape(const ScenarioJob& job, const LearningOptions& learning, double iterations) {
  const double evaluations = iterations / static_cast<double>(learning.evaluate_every) + 1;
  const double parameters = learned_parameters(job);
  return {.operations = job.workers() * iterations * learning.task->gradient_operations() +
                        evaluations * learning.task->loss_operations(),
          .updated_elements = parameters * (iterations + evaluations),
          .kept_elements = parameters * (kept_of_each_parameter + kept_by(learning.optimizer))};
}

/// The time of the trials that search a bucket size; 0 where it is given.
double search_s(const ScenarioJob& job, std::size_t index, const RunEvaluator* evaluator) {
  if (!has_bucket_search(job.options(index))) return 0;
  RunShape shape = shape_of_run(job, index, {.evaluator = evaluator});
  shape.iterations = static_cast<double>(bucket_search_iterations());
  return effort_of(shape).time_s;
}

/// estimated_effort() of an algorithm, plus the search of its bucket size before the run, and after it the
/// learning run, all of whose messages are sent.
RunEffort effort_with_other_runs(const ScenarioJob& job, std::size_t index, const RunConditions& conditions,
                                 double logged_bytes) {
  RunEffort effort = estimated_effort(job, index, conditions, logged_bytes);
  effort.time_s += search_s(job, index, conditions.evaluator);
  if (!conditions.learns || !job.scenario().learning) return effort;
  RunShape shape = shape_of_run(job, index, {.sends_all = true});
  shape.logged_bytes = logged_bytes;
  const RunEffort sent = effort_of(shape);
  const RunEffort learned = effort_of(learning_shape(job, *job.scenario().learning, shape.iterations));
  effort.time_s += sent.time_s + learned.time_s;
  effort.memory_bytes = std::max(effort.memory_bytes, sent.memory_bytes + learned.memory_bytes);
  return effort;
}

/// The estimated effort of all algorithms, run one after the other.
RunEffort estimated_effort(const ScenarioJob& job, const RunConditions& conditions, double logged_bytes) {
  RunEffort sum;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    const RunEffort own = effort_with_other_runs(job, i, conditions, logged_bytes);
    sum.time_s += own.time_s;
    sum.memory_bytes = std::max(sum.memory_bytes, own.memory_bytes);
  }
  return sum;
}

/// Where LargeMemory keeps data: in memory, or, if it is large, on disk with a part of it in memory.
struct Kept {
  double memory_bytes = 0;
  double disk_bytes = 0;
  double fixed_bytes = 0;  // part of the memory that does not grow with the iterations

  void add(double bytes) {
    constexpr auto most = static_cast<double>(most_bytes_in_memory);
    memory_bytes += bytes > most ? most / 2 : bytes;
    disk_bytes += bytes > most ? bytes : 0;
    fixed_bytes += bytes > most ? most / 2 : 0;
  }
};

/// The most iterations that a run may have.
double most_iterations_of(const Scenario& scenario) {
  return static_cast<double>(scenario.precision ? scenario.precision->most_iterations : scenario.iterations);
}

/// How many partial collectives an iteration has, which are activated by a message to all workers; for each
/// of them the run notes who took part.
double operations_of(const ScenarioJob& job, std::size_t index) {
  if (job.options(index).traits().is_synchronous) return 0;
  const PreparedRun run = job.run(index);
  const TypicalTraffic traffic = run.algorithm.typical_traffic(run.workload);
  return traffic.models > 0 ? 0 : traffic.messages;
}

/// What the algorithm that keeps most takes for the records and durations of all workers' iterations, and for
/// what is kept per iteration.
Kept logged(const ScenarioJob& job, const RunConditions& conditions) {
  const double iterations = most_iterations_of(job.scenario());
  const double rows = job.workers() * iterations;
  Kept most;
  double operations = 0;
  bool has_another_log = false;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    operations = std::max(operations, operations_of(job, i));
    has_another_log |= conditions.explainer != nullptr && conditions.explainer->keeps_another_log(job, i);
  }
  most.add(rows * sizeof(IterationRecord));
  if (has_another_log) most.add(rows * sizeof(IterationRecord));
  most.add(rows * sizeof(double));
  most.memory_bytes += iterations * (bytes_per_iteration + operations * bytes_per_operation);
  return most;
}

JobDemand least_demand_of(const ScenarioJob& job, const RunConditions& conditions, const Kept& kept) {
  const Scenario& scenario = job.scenario();
  const double workers = job.workers();
  const auto iterations = static_cast<double>(scenario.iterations);
  const double rows = workers * iterations;
  JobDemand demand{.iterations_bytes = kept.memory_bytes - kept.fixed_bytes,
                   .records_bytes = kept.disk_bytes};
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
    const double messages = messages_of(job, i);
    demand.time_s += rows * s_per_iteration_of_worker + iterations * messages * s_per_message;
    demand.memory_bytes =
        std::max(demand.memory_bytes, workers * bytes_per_worker + messages * bytes_per_message_under_way);
    demand.files_bytes += workers * most_iterations_of(scenario) *
                          (bytes_per_row + static_cast<double>(scenario.algorithms[i].label.size()));
  }
  demand.memory_bytes += bytes_of_program + kept.memory_bytes;
  if (conditions.learns)
    demand.memory_bytes += kept_of_each_parameter * learned_parameters(job) * sizeof(float);
  return demand;
}

}  // namespace

JobDemand least_demand_of(const ScenarioJob& job, const RunConditions& conditions) {
  return least_demand_of(job, conditions, logged(job, conditions));
}

JobDemand demand_of(const ScenarioJob& job, const RunConditions& conditions) {
  const Kept kept = logged(job, conditions);
  JobDemand demand = least_demand_of(job, conditions, kept);
  demand.estimate = estimated_effort(job, conditions, kept.memory_bytes);
  demand.estimate.time_s = std::max(demand.estimate.time_s, demand.time_s);
  demand.estimate.memory_bytes = std::max(demand.estimate.memory_bytes, demand.memory_bytes);
  if (const std::optional<WantedPrecision>& precision = job.scenario().precision)
    demand.most_time_s = demand.estimate.time_s * static_cast<double>(precision->most_iterations) /
                         static_cast<double>(job.scenario().iterations);
  return demand;
}

JobDemand of_seeds(JobDemand demand, int seeds) {
  demand.time_s *= seeds;
  demand.files_bytes *= seeds;
  demand.estimate.time_s *= seeds;
  demand.most_time_s *= seeds;
  demand.seeds *= seeds;
  return demand;
}

JobDemand demand_of_modeling(const ScenarioJob& job, bool simulates) {
  JobDemand demand = demand_of(job, {.learns = false});
  if (simulates) return demand;
  demand.time_s *= s_per_modeled_iteration / s_per_iteration_of_worker;
  demand.estimate = {};
  return demand;
}

JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions) {
  const JobDemand simulated = least_demand_of(job);
  const Scenario& scenario = job.scenario();
  const double runs = static_cast<double>(scenario.algorithms.size()) * repetitions;
  return {.time_s = runs * static_cast<double>(scenario.iterations) * scenario.workload.compute_total_s(),
          .memory_bytes = bytes_of_program,
          .records_bytes = simulated.records_bytes,
          .files_bytes = simulated.files_bytes};
}

}  // namespace starling
