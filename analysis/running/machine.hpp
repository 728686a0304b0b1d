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

/// How a worker's iteration is disturbed; asked for once per worker and iteration.
using LoadSource = std::function<Load(Rank rank, std::int64_t iteration)>;

/// An algorithm with all that it needs to be run, on whatever machine. What it refers to must outlive it.
struct PreparedRun {
  const TrainingAlgorithm& algorithm;
  const Workload& workload;
  std::int64_t iterations = 0;
  std::uint64_t seed = 0;
  LoadSource load;
  /// What models learn; null where they have sizes only.
  const LearningOptions* learning = nullptr;
  /// Known: no connection's own window or rate keeps it below what its links carry.
  bool only_links_limit = false;
};

/// How a run goes on after the iterations that were simulated, the last `period` of which repeat.
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
  /// So many of the simulated ones, the last, are known to be like those a period before.
  static std::int64_t agreeing_iterations(std::int64_t simulated) {
    return std::max<std::int64_t>(2, simulated / 2);
  }
  /// From here on iterations are like those a period later, from begin to end: that the first of those that
  /// agree begins as the one a period before, nobody knows.
  std::int64_t first_repeated() const {
    const std::int64_t agreeing = agreeing_iterations(simulated_iterations);
    return std::max<std::int64_t>(0, simulated_iterations - agreeing - period + 1);
  }
};

/// What a run leaves behind.
struct Outcome {
  explicit Outcome(int workers, std::int64_t iterations = 0)
      : log(workers, iterations), participation(workers) {}

  IterationLog log;
  ParticipationLog participation;
  RunStatistics statistics;
  /// Of a run that goes on when these statistics are taken, where they are not those of its iterations.
  std::optional<double> bytes_per_worker_per_iteration = {};
  /// If not all iterations were simulated, as the others repeat the last of those that were.
  std::optional<Repetition> repetition = {};
};

/// What a machine found out about a run.
struct Measurement {
  Outcome outcome;
  /// Where there was something to learn.
  std::vector<LearningRecord> learned = {};
  /// How links were used, from machines that were asked to watch them.
  std::optional<LinkUses> links = {};
  std::optional<CriticalPath> critical_path = {};
  bool is_path_too_long = false;
  /// As in RunResult, of machines that measure.
  std::optional<int> repetitions = {};
  std::optional<double> coefficient_of_variation = {};
  std::optional<std::vector<double>> gemm_flops_per_s = {};
};

/// What runs are run on, one after the other. What it tells must be the same in every process, if there are
/// several.
class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  /// What the result calls it.
  virtual std::string name() const = 0;
  /// Whether messages cost, and slow computing down, as the scenario says; a real machine has its own ways.
  virtual bool is_model() const { return true; }
  /// Runs it once and without data.
  virtual Outcome try_out(const PreparedRun& run) = 0;
  /// Runs it for the result, with a timeline if one is wanted; `learning` is the same run with data, if
  /// there is something to learn.
  virtual Measurement measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) = 0;
  /// How many runs measure() makes.
  virtual int runs_of_each(bool is_learning) const = 0;
  /// What all runs took so far.
  virtual std::uint64_t events() const = 0;
};

/// The part of a run that its workers share; they write to the outcome.
TrainingJob training_job(const PreparedRun& run, Outcome& outcome, ModelObserver* learned);

/// A worker's model, with data if there is something to learn.
Replica replica_for(const PreparedRun& run, Rank rank);

/// `load`, which advances the progress by so many steps whenever it is asked.
LoadSource counted(LoadSource load, OptionalProgress progress, std::int64_t steps = 1);

}  // namespace starling
