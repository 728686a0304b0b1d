#include "analysis/native/native_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/native/rank_records.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/scenario_runner.hpp"
#include "io/scenario_error.hpp"
#include "sim/native/gemm_device.hpp"
#include "sim/native/native_world.hpp"
#include "workloads/learning/learning_log.hpp"

namespace starling {
namespace {

/// Keeps this rank's model wherever it will be evaluated.
class ModelRecorder final : public ModelObserver {
 public:
  explicit ModelRecorder(const LearningLog& evaluated) : evaluated_(evaluated) {}

  void end_iteration(std::int64_t iteration, std::span<const float> model) override {
    if (!evaluated_.is_evaluated(iteration + 1)) return;
    iterations_.push_back(iteration);
    models_.insert(models_.end(), model.begin(), model.end());
  }

  const std::vector<std::int64_t>& iterations() const { return iterations_; }
  const std::vector<float>& models() const { return models_; }

 private:
  const LearningLog& evaluated_;
  std::vector<std::int64_t> iterations_;
  std::vector<float> models_;  // one after the other
};

/// One of several runs of the same algorithm.
struct Repetition {
  Outcome outcome;
  std::vector<SpanRecord> spans;
  std::vector<LearningRecord> learning;
  double mean_s = 0;
};

/// Sample standard deviation over mean; absent of fewer than two.
std::optional<double> coefficient_of_variation(const std::vector<Repetition>& repetitions) {
  if (repetitions.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(repetitions.size());
  double mean = 0;
  for (const Repetition& repetition : repetitions) mean += repetition.mean_s / count;
  double squares = 0;
  for (const Repetition& repetition : repetitions)
    squares += (repetition.mean_s - mean) * (repetition.mean_s - mean);
  if (mean <= 0) return std::nullopt;
  return std::sqrt(squares / (count - 1)) / mean;
}

class NativeRunner final : public ScenarioRunner {
 public:
  NativeRunner(const Scenario& scenario, const RunObservers& observers, const MpiJob& job, int repetitions)
      : ScenarioRunner(scenario, observers), job_(job), repetitions_(repetitions) {
    if (scenario.compute_kind != ComputeKind::gemm) return;
    device_ = make_gemm_device();
    flops_per_s_ = gathered(job, device_->flops_per_s());
  }

 private:
  std::string engine() const override { return "mpi"; }
  Outcome execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink* trace) override;
  Outcome measure(std::size_t index, RunResult& result) override;
  std::optional<LearningResult> learn(std::size_t index, const IterationLog& timed) override;
  std::int64_t runs_of_each() const override { return repetitions_; }

  Repetition repeat(std::size_t index);
  Outcome run_sized(const TrainingAlgorithm& algorithm, std::int64_t iterations, SpanRecorder* spans);
  Outcome run_learning(std::size_t index, SpanRecorder* spans, std::vector<LearningRecord>& learned);
  Outcome run_on_this_rank(const TrainingAlgorithm& algorithm, const TrainingJob& job, SpanRecorder* spans,
                           const std::function<Replica(Rank)>& replica, IterationLog& log,
                           const ParticipationLog& participation);
  std::function<Load(Rank, std::int64_t)> load_of_this_rank() const;

  const MpiJob& job_;
  int repetitions_;
  std::unique_ptr<GemmDevice> device_;
  std::optional<std::vector<double>> flops_per_s_;  // of every rank's device
  std::vector<LearningRecord> learned_;             // in the run that measure() chose
};

/// Every rank is about as far as this one.
std::function<Load(Rank, std::int64_t)> NativeRunner::load_of_this_rank() const {
  return [this](Rank rank, std::int64_t iteration) {
    if (observers().progress != nullptr) observers().progress->advance(job_.size());
    return imbalance().load(rank, iteration);
  };
}

/// Runs the job on this rank and puts together what all ranks have written, on rank 0's clock.
Outcome NativeRunner::run_on_this_rank(const TrainingAlgorithm& algorithm, const TrainingJob& job,
                                       SpanRecorder* spans, const std::function<Replica(Rank)>& replica,
                                       IterationLog& log, const ParticipationLog& participation) {
  NativeWorld world(job_, spans, device_.get());
  world.run([&](Worker& worker) {
    Replica own = replica(worker.rank());
    algorithm.run(worker, own, job);
  });
  std::vector<IterationRecord>& own = log.of(job_.rank());
  for (IterationRecord& record : own) {
    record.end_s = world.aligned_s(record.end_s);
    record.ready_s = world.aligned_s(record.ready_s);
  }
  if (spans != nullptr) spans->align([&](double time_s) { return world.aligned_s(time_s); });
  Outcome outcome{.log = gathered(job_, log),
                  .participation = ParticipationLog(job_.size()),
                  .statistics = gathered(job_, world.statistics())};
  outcome.participation = gathered(job_, participation, outcome.log);
  count_events(outcome.statistics.events);
  return outcome;
}

Outcome NativeRunner::run_sized(const TrainingAlgorithm& algorithm, std::int64_t iterations,
                                SpanRecorder* spans) {
  IterationLog log(job_.size());
  ParticipationLog participation(job_.size());
  TrainingJob job = timed_job(iterations, log, participation);
  job.load = load_of_this_rank();
  return run_on_this_rank(
      algorithm, job, spans, [this](Rank) { return Replica(scenario().workload); }, log, participation);
}

Outcome NativeRunner::run_learning(std::size_t index, SpanRecorder* spans,
                                   std::vector<LearningRecord>& learned) {
  const LearningOptions& learning = *scenario().learning;
  LearningLog evaluated(learning.task, job_.size(), scenario().iterations, learning.evaluate_every);
  ModelRecorder recorder(evaluated);
  IterationLog log(job_.size());
  ParticipationLog participation(job_.size());
  TrainingJob job = learning_job(log, recorder);
  job.load = load_of_this_rank();
  job.participation = &participation;
  Outcome outcome = run_on_this_rank(
      learning_algorithm(index), job, spans, [this](Rank rank) { return learner(rank); }, log, participation);
  evaluate(job_, recorder.iterations(), recorder.models(), evaluated);
  learned = evaluated.records();
  return outcome;
}

Outcome NativeRunner::execute(const TrainingAlgorithm& algorithm, std::int64_t iterations, TraceSink*) {
  return run_sized(algorithm, iterations, nullptr);
}

Repetition NativeRunner::repeat(std::size_t index) {
  SpanRecorder spans;
  SpanRecorder* const traced = observers().is_traced ? &spans : nullptr;
  std::vector<LearningRecord> learned;
  Outcome outcome = scenario().learning ? run_learning(index, traced, learned)
                                        : run_sized(algorithm(index), scenario().iterations, traced);
  const double mean_s = iteration_time(outcome.log, scenario().warmup_iterations).mean;
  return {std::move(outcome), gathered(job_, spans), std::move(learned), mean_s};
}

Outcome NativeRunner::measure(std::size_t index, RunResult& result) {
  std::vector<Repetition> repetitions;
  for (int i = 0; i < repetitions_; ++i) repetitions.push_back(repeat(index));
  result.repetitions = repetitions_;
  result.gemm_flops_per_s = flops_per_s_;
  result.coefficient_of_variation = coefficient_of_variation(repetitions);

  const auto median = repetitions.begin() + (repetitions_ - 1) / 2;
  std::nth_element(repetitions.begin(), median, repetitions.end(),
                   [](const Repetition& a, const Repetition& b) { return a.mean_s < b.mean_s; });
  learned_ = std::move(median->learning);
  if (observers().trace != nullptr) replay(median->spans, *observers().trace);
  return std::move(median->outcome);
}

std::optional<LearningResult> NativeRunner::learn(std::size_t, const IterationLog& timed) {
  return learning_result(*scenario().learning, learned_, timed);
}

}  // namespace

void check_fits(const Scenario& scenario, const MpiJob& job) {
  if (scenario.compute_kind == ComputeKind::gemm && !has_gemm_device())
    throw ScenarioError(
        {.file = scenario.file.string(),
         .place = "/workload/compute/kind",
         .problem = "this starling was built without OpenBLAS (on Debian libopenblas-serial-dev)",
         .got = "\"gemm\"",
         .expected = "\"emulated\", which is the default"});
  if (scenario.cluster.workers != job.size())
    throw ScenarioError(
        {.file = scenario.file.string(),
         .place = "/cluster/workers",
         .problem = fmt::format("the scenario has {} workers, but mpirun started {} processes",
                                scenario.cluster.workers, job.size()),
         .got = "",
         .expected = fmt::format("mpirun -n {}", scenario.cluster.workers)});
  const RunObservers nobody;
  NativeRunner(scenario, nobody, job, 1).make_algorithms();
}

Result run_natively(const Scenario& scenario, const MpiJob& job, int repetitions,
                    const RunObservers& observers) {
  return NativeRunner(scenario, observers, job, repetitions).run_all();
}

}  // namespace starling
