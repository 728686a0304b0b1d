#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/critical_path/critical_path.hpp"
#include "analysis/results/computing.hpp"
#include "analysis/results/learning_result.hpp"
#include "analysis/results/link_use.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/statistics/drift.hpp"
#include "analysis/statistics/estimate.hpp"
#include "base/types.hpp"
#include "sim/messages/message_costs.hpp"

namespace starling {

/// The messages that algorithms sent in a run, warm-up iterations included; without the control messages of
/// rendezvous.
struct Traffic {
  std::uint64_t messages = 0;
  /// How many of these went by rendezvous; the others were eager. Absent for a measurement, where MPI
  /// decides.
  std::optional<std::uint64_t> rendezvous_messages = {};
  /// How many of all messages belonged to collectives, or whole runs, that were evaluated instead of
  /// simulated. Absent for a measurement.
  std::optional<std::uint64_t> evaluated_messages = {};
  double bytes = 0;
  /// `bytes` over workers and iterations; for a job that repeats see SentPerIteration.
  double bytes_per_worker_per_iteration = 0;
};

/// Which workers contributed in time to averaging operations, warm-up included. Under a synchronous algorithm
/// all do.
struct Participation {
  /// How many workers contributed work of an operation's own iteration to it, on average. Absent if there was
  /// no operation.
  std::optional<double> mean_active_workers = {};
  std::int64_t stale_contributions = 0;
  double mean_staleness_iterations = 0;
  std::int64_t max_staleness_iterations = 0;
  /// Only for algorithms whose workers do not all wait for all others in every iteration.
  struct Details {
    std::int64_t operations = 0;
    std::int64_t fresh_contributions = 0;
    std::int64_t absent_contributions = 0;
    std::vector<std::int64_t> active_workers;  // how many operations had 0, 1, … active workers
    std::vector<std::int64_t> staleness;       // how many contributions were 0, 1, … iterations old
    /// Largest number of iterations by which a worker was ahead of the slowest worker.
    std::int64_t max_lead_iterations = 0;
    /// For each worker, the number of iterations that it had ended when the first worker ended its last.
    std::vector<std::int64_t> iterations_at_first_end;
  };
  std::optional<Details> details = {};
};

/// A mean iteration time and its standard error.
struct Sampling {
  SampleEstimate mean_s;  // its error is from the iterations of one run, or from the means of several
  /// The values that the error comes from, in order. The values of two algorithms of a scenario in the same
  /// iterations, or of runs with the same seed, had the same draws.
  SampleSeries sample_s = {};
  /// The drift of the iteration times, where they rise or fall while they are counted. It is unknown how far
  /// the mean then is from that of a long run, so there is no error.
  std::optional<Drift> drift_s = {};
};

/// The ratio of two means; the denominator must not be 0. Variation that both have in common, as they had the
/// same draws, adds nothing to the error. Without an error where one of the two has none.
SampleEstimate ratio_of_times(const Sampling& numerator, const Sampling& denominator);

/// A run of a scenario with another seed.
struct Replication {
  std::uint64_t seed = 0;
  double mean_s = 0;             // of an iteration
  std::int64_t iterations = {};  // counted ones
};

/// The uncertainty of a mean iteration time, from runs with other draws.
struct Uncertainty {
  Interval interval_90_s;
  /// The range of the mean under other orders of simultaneous events, if these decide it.
  std::optional<Interval> decided_by_ties_s = {};
};

/// Whether the iterations are no whole number of periods, so that their mean has too much or too little of
/// what happens once in a period. False for a hundred periods or more, where that is negligible.
constexpr bool is_of_partial_periods(std::int64_t iterations, std::int64_t period) {
  return iterations % period != 0 && iterations / 100 < period;
}

/// The number of counted iterations if these are no whole periods; absent if they are. Several seeds may
/// count different numbers: then that of the first seed with no whole periods.
std::optional<std::int64_t> counted_partially(std::int64_t iterations, std::int64_t period,
                                              std::span<const Replication> replications);

// Keys that a result adds to the block of an algorithm.
inline constexpr const char* bucket_search_key = "bucket_search";
inline constexpr const char* chosen_key = "chosen";
inline constexpr const char* collectives_chosen_key = "collectives_chosen";
inline constexpr const char* merged_all_key = "merged_all";
inline constexpr const char* spectral_gap_key = "spectral_gap";
inline constexpr const char* spectral_gap_per_iteration_key = "spectral_gap_per_iteration";
/// All of these keys. A key that is missing here makes results of the same algorithm look like different
/// ones.
inline constexpr std::array note_keys{bucket_search_key, chosen_key,       collectives_chosen_key,
                                      merged_all_key,    spectral_gap_key, spectral_gap_per_iteration_key};

/// The result of one algorithm of a scenario.
struct RunResult {
  std::string label;
  /// Its block of the scenario, with defaults filled in, and the keys that the run adds (note_keys).
  nlohmann::ordered_json algorithm;
  int workers = 0;
  std::int64_t iterations = 0;  // counted ones, without warm-up
  /// How many iterations were simulated, warm-up included, if the later ones repeat the last of these.
  std::optional<std::int64_t> simulated_iterations = {};
  /// After how many iterations the pattern of an algorithm and of its disturbances repeats, see
  /// counted_period(); 1 also where that is too long to matter.
  std::int64_t pattern_period = 1;
  /// The least length of batches of iterations, see least_batch().
  std::int64_t least_batch = 1;
  IterationTime iteration_time_s;
  Sampling sampling = {};
  /// Of all workers together. Where they wait for each other in every iteration, the samples of an iteration
  /// over its mean time; where some get ahead of others, the sum over workers, each by its own mean time.
  /// Absent where iterations of a worker take no time.
  std::optional<double> throughput_samples_per_s;
  double makespan_s = 0;
  Breakdown breakdown_s;
  Traffic traffic;
  Participation participation;
  /// Absent without a learning task.
  std::optional<LearningResult> learning = {};
  /// How often the algorithm was run in a measurement. All other figures are those of the run whose mean
  /// iteration time is the median (the lower one of two).
  std::optional<int> repetitions = {};
  /// Of the repetitions' mean iteration times: sample standard deviation over mean. Absent for one
  /// repetition.
  std::optional<double> coefficient_of_variation = {};
  /// Of a measurement whose workers multiply matrices: floating-point operations per second of each rank's
  /// core.
  std::optional<std::vector<double>> gemm_flops_per_s = {};
  /// How long the workers of a measurement computed. Absent for simulations.
  std::optional<Computing> computing = {};
  /// Links and critical path only where they were asked for.
  std::optional<LinkUses> links = {};
  std::optional<CriticalPath> critical_path = {};
  /// Whether a critical path was asked for, but an iteration had more steps than are kept.
  bool is_path_too_long = false;
  std::optional<Uncertainty> uncertainty = {};
  /// Mean iteration time of the first run / of this one; absent where this one's is 0.
  std::optional<double> speedup;
  /// Its 95 % confidence interval; absent for the first run, and where one of the means has no error.
  std::optional<Interval> speedup_interval_95 = {};
  /// The runs with several seeds, of which all other figures are combined: see combine_replications().
  std::vector<Replication> replications = {};
};

/// What the simulation cost; the only part of a result that differs from one execution to the next.
struct SimulationCost {
  double wall_s = 0;
  std::uint64_t events = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// The compute times of an undisturbed worker's iteration, and the law by which they were found.
struct ComputeFacts {
  std::string law;
  double forward_s = 0;
  double backward_s = 0;
};

/// The transport whose costs messages had, and the reason for its choice. The reason is not compared between
/// results: a saved scenario states the transport.
struct TransportFacts {
  std::string name;
  std::string reason;
  MessageCosts costs = {};
  /// Under `fair`, how unevenly connections share, see FairOptions; 0 under other engines.
  double unevenness = 0;  // of one stream
  double queued_at_first_link = 0;
  std::optional<double> host_rate_Bps = {};  // see HostCosts; absent where no cable is that fast
  bool are_sums_free = false;                // though cores add, as no reduction_rate is given
};

/// The hosts of ranks under a placement other than block.
struct PlacementFacts {
  std::string name;                             // "list" where hosts were given
  std::vector<std::string> optimized_for = {};  // the algorithms, each weighted alike
  std::vector<int> hosts;                       // of each rank
};

/// Sets the speedup of `run` over the first run of its scenario, and its interval; `first` may be `run`
/// itself.
void compare_with_first(const RunResult& first, RunResult& run);

/// The result of one of several jobs.
struct JobResult {
  /// The figures of the job beside the others, with times from its start; the label is its name.
  RunResult run;
  ComputeFacts compute = {};
  std::vector<Rank> workers;  // the cluster's worker of each of its ranks
  std::uint64_t seed = 0;     // the one that it ran with
  double start_s = 0;
  /// The same iterations of the job, alone on the cluster.
  IterationTime alone_iteration_time_s = {};
  /// Mean iteration time / the one alone; absent where that is 0.
  std::optional<double> slowdown = {};
  /// The same beside all other jobs but one.
  struct Without {
    std::string job;
    double iteration_time_s = 0;  // mean
    /// Mean iteration time with it / without it; absent where that is 0.
    std::optional<double> slowdown = {};
  };
  std::vector<Without> slowed_by = {};
};

/// The engine in results of measurements on real machines.
inline constexpr std::string_view measured_engine = "mpi";

/// The result of a scenario.
struct Result {
  nlohmann::ordered_json scenario;  // as read, defaults filled in
  std::string engine;               // a network model, or measured_engine
  ComputeFacts compute = {};
  std::optional<TransportFacts> transport = {};  // absent for a measurement
  std::optional<PlacementFacts> placement = {};  // absent for blocks, and for a measurement
  std::vector<RunResult> runs;
  SimulationCost simulation;
  /// Of several jobs, in place of runs and compute.
  std::vector<JobResult> jobs = {};
  /// The use of links by all jobs together, where it was asked for.
  std::optional<LinkUses> links = {};
};

}  // namespace starling
