#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/training/shared/training_algorithm.hpp"
#include "analysis/critical_path/critical_path.hpp"
#include "analysis/results/link_use.hpp"
#include "io/terminal/progress_line.hpp"
#include "scenarios/reading/learning_options.hpp"
#include "sim/run_statistics.hpp"
#include "sim/trace.hpp"
#include "workloads/learning/learning_log.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// Returns a worker's load (delay and factor) in an iteration. Called once per worker and iteration.
using LoadSource = std::function<Load(Rank rank, std::int64_t iteration)>;

/// An algorithm with all that it needs to run, on any machine. What it refers to must outlive it.
struct PreparedRun {
  const TrainingAlgorithm& algorithm;
  const Workload& workload;
  std::int64_t iterations = 0;
  std::uint64_t seed = 0;
  LoadSource load;
  /// The learning task; null where models have sizes and no data.
  const LearningOptions* learning = nullptr;
  /// Whether it is known that no window or rate of a connection keeps it below what its links carry.
  bool only_links_limit = false;
};

/// How a run continues after the simulated iterations: the last `period` of them repeat.
struct Repetition {
  std::int64_t iterations = 0;            // of the whole run, the repeated ones included
  std::int64_t simulated_iterations = 0;  // the first ones
  std::int64_t period = 1;                // iterations
  /// When the period begins and ends, in seconds since the run began; no message is in flight at either.
  double begin_s = 0;
  double end_s = 0;
  /// When the whole run ends.
  double run_s = 0;

  std::int64_t further_iterations() const { return iterations - simulated_iterations; }
  /// How many of the simulated iterations, counted from the end, are known to equal those a period before.
  static std::int64_t agreeing_iterations(std::int64_t simulated) {
    return std::max<std::int64_t>(2, simulated / 2);
  }
  /// The first iteration that is known to equal the one a period later from its beginning to its end. Of the
  /// first of the agreeing ones only the end is known to agree.
  std::int64_t first_repeated() const {
    const std::int64_t agreeing = agreeing_iterations(simulated_iterations);
    return std::max<std::int64_t>(0, simulated_iterations - agreeing - period + 1);
  }
};

/// The log and statistics of a run.
struct Outcome {
  explicit Outcome(int workers, std::int64_t iterations = 0)
      : log(workers, iterations), participation(workers) {}

  IterationLog log;
  ParticipationLog participation;
  RunStatistics statistics;
  /// Given where `statistics` are not those of the run's iterations: of a job that goes on when they are
  /// taken.
  std::optional<double> bytes_per_worker_per_iteration = {};
  /// Given if not all iterations were simulated, as the others repeat the last simulated ones.
  std::optional<Repetition> repetition = {};
};

/// All that a machine measures of a run.
struct Measurement {
  Outcome outcome;
  /// Empty without a learning task.
  std::vector<LearningRecord> learned = {};
  /// The use of links and the critical path, if the machine was asked to watch them.
  std::optional<LinkUses> links = {};
  std::optional<CriticalPath> critical_path = {};
  bool is_path_too_long = false;
  /// As in RunResult; only of machines that measure real time.
  std::optional<int> repetitions = {};
  std::optional<double> coefficient_of_variation = {};
  std::optional<std::vector<double>> gemm_flops_per_s = {};
};

/// Runs PreparedRuns, one after the other. Where there are several processes, all must get the same
/// measurement.
class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// Its name in results: the engine.
  virtual std::string name() const = 0;
  /// Whether the scenario's costs of messages and its communication_slowdown apply. Not to a real machine.
  virtual bool is_model() const { return true; }
  /// Runs it once, without data.
  virtual Outcome run_trial(const PreparedRun& run) = 0;
  /// Runs it for the result. `learning`: the same run with data, null without a learning task; `trace`:
  /// receives the timeline, null if none is wanted.
  virtual Measurement measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) = 0;
  /// How many runs measure() makes.
  virtual int runs_of_each(bool is_learning) const = 0;
  /// How many events all runs so far took; 0 where runs have no events.
  virtual std::uint64_t events() const = 0;
};

/// The part of a run that its workers share. They write to `outcome` and, unless it is null, `learned`.
TrainingJob training_job(const PreparedRun& run, Outcome& outcome, ModelObserver* learned);

/// A worker's model, with data if the run has a learning task.
Replica replica_for(const PreparedRun& run, Rank rank);

/// `load`, with the side effect that every call advances the progress by so many steps.
LoadSource counted(LoadSource load, OptionalProgress progress, std::int64_t steps = 1);

}  // namespace starling
