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

/// What was sent in a run, warm-up iterations included, as the algorithms sent it: without the control
/// messages of rendezvous.
struct Traffic {
  std::uint64_t messages = 0;
  /// How many of these went by rendezvous; the others were eager. Absent for a measurement: that is up to MPI
  /// there.
  std::optional<std::uint64_t> rendezvous_messages = {};
  /// How many of all messages were of collectives, or of whole runs, that were evaluated at once. Absent for
  /// a measurement.
  std::optional<std::uint64_t> evaluated_messages = {};
  double bytes = 0;
  /// `bytes` over workers and iterations, but of a job that repeats: see SentPerIteration.
  double bytes_per_worker_per_iteration = 0;
};

/// Who contributed in time, warm-up included. Under a synchronous algorithm everyone does.
struct Participation {
  /// How many workers contributed work of an operation's own iteration to it, on average. Absent where there
  /// was no operation.
  std::optional<double> mean_active_workers = {};
  std::int64_t stale_contributions = 0;
  double mean_staleness_iterations = 0;
  std::int64_t max_staleness_iterations = 0;
  /// What is known of algorithms whose workers do not all wait for all others in every iteration.
  struct Details {
    std::int64_t operations = 0;
    std::int64_t fresh_contributions = 0;
    std::int64_t absent_contributions = 0;
    std::vector<std::int64_t> active_workers;  // how many operations had 0, 1, … active workers
    std::vector<std::int64_t> staleness;       // how many contributions were 0, 1, … iterations old
    /// The most iterations that a worker was ever ahead of the slowest.
    std::int64_t max_lead_iterations = 0;
    /// How many iterations each worker had ended when the first one had ended its last.
    std::vector<std::int64_t> iterations_at_first_end;
  };
  std::optional<Details> details = {};
};

/// How sure a mean iteration time is.
struct Sampling {
  SampleEstimate mean_s;  // of the iterations of one run, or of the means of several
  /// What the error is from, in order: of two algorithms of a scenario, those of the same iterations, or of
  /// runs with the same seed, met the same draws.
  SampleSeries sample_s = {};
  /// The drift of the iteration times, where they rise or fall while they are counted: nothing tells how far
  /// the mean is from that of a long run then, so there is no error.
  std::optional<Drift> drift_s = {};
};

/// One mean over another one, which is not 0. What both have in common as they met the same draws adds
/// nothing to the error. Without one where one of the two has none.
SampleEstimate ratio_of_times(const Sampling& numerator, const Sampling& denominator);

/// A run of a scenario with another seed.
struct Replication {
  std::uint64_t seed = 0;
  double mean_s = 0;             // of an iteration
  std::int64_t iterations = {};  // counted ones
};

/// How sure a mean iteration time is, from runs with other draws.
struct Uncertainty {
  Interval interval_90_s;
  /// The range of the mean under other orders of what happens at the same moment, if these decide it.
  std::optional<Interval> decided_by_ties_s = {};
};

/// Whether iterations are no whole number of periods, so that their mean holds too much or too little of what
/// happens once in a period; not if they are a hundred periods or more.
constexpr bool is_of_partial_periods(std::int64_t iterations, std::int64_t period) {
  return iterations % period != 0 && iterations / 100 < period;
}

/// How many iterations are counted that are no whole periods: of the first seed of which that is so, if there
/// are several, which may count different numbers of them.
std::optional<std::int64_t> counted_partially(std::int64_t iterations, std::int64_t period,
                                              std::span<const Replication> replications);

// What an algorithm's block of a result says besides what was asked for.
inline constexpr const char* bucket_search_key = "bucket_search";
inline constexpr const char* chosen_key = "chosen";
inline constexpr const char* collectives_chosen_key = "collectives_chosen";
inline constexpr const char* merged_all_key = "merged_all";
inline constexpr const char* spectral_gap_key = "spectral_gap";
inline constexpr const char* spectral_gap_per_iteration_key = "spectral_gap_per_iteration";
/// All of them: with one that is missing here, results of the same algorithm seem to be of different ones.
inline constexpr std::array note_keys{bucket_search_key, chosen_key,       collectives_chosen_key,
                                      merged_all_key,    spectral_gap_key, spectral_gap_per_iteration_key};

/// What one algorithm of a scenario achieved.
struct RunResult {
  std::string label;
  /// Its block of the scenario, with defaults filled in, and what was found out about it (note_keys).
  nlohmann::ordered_json algorithm;
  int workers = 0;
  std::int64_t iterations = 0;  // counted ones, without warm-up
  /// Where all iterations after them repeat the last of these: how many were simulated, with warm-up.
  std::optional<std::int64_t> simulated_iterations = {};
  /// After how many iterations the pattern of who sends what to whom repeats; 1 where that is longer than
  /// matters, too.
  std::int64_t pattern_period = 1;
  /// What batches of iterations have at least for an error, as disturbances last.
  std::int64_t least_batch = 1;
  IterationTime iteration_time_s;
  Sampling sampling = {};
  /// Of all workers together. Where they wait for each other in every iteration, what they work on in the
  /// mean one, over its time; where some get ahead of others, for each worker by its own mean. Absent where
  /// iterations of a worker take no time at all.
  std::optional<double> throughput_samples_per_s;
  double makespan_s = 0;
  Breakdown breakdown_s;
  Traffic traffic;
  Participation participation;
  /// Absent where no learning task was set.
  std::optional<LearningResult> learning = {};
  /// How often the algorithm was run in a measurement. All other figures are those of the run whose mean
  /// iteration time is the median (the lower one of two).
  std::optional<int> repetitions = {};
  /// That of the repetitions' mean iteration times: sample standard deviation over mean; absent for one.
  std::optional<double> coefficient_of_variation = {};
  /// Of a measurement whose workers multiply matrices: floating-point operations per second of each rank's
  /// core.
  std::optional<std::vector<double>> gemm_flops_per_s = {};
  /// How the workers of a measurement computed.
  std::optional<Computing> computing = {};
  /// Where that was asked for.
  std::optional<LinkUses> links = {};
  std::optional<CriticalPath> critical_path = {};
  /// It was asked for, but an iteration had more steps than are kept.
  bool is_path_too_long = false;
  std::optional<Uncertainty> uncertainty = {};
  /// Mean iteration time of the first run / of this one; absent where this one's is 0.
  std::optional<double> speedup;
  /// Where it truly lies with a confidence of 95 %; absent for the first run, and where nothing tells.
  std::optional<Interval> speedup_interval_95 = {};
  /// Where there are several, the figures are those of all: means, least and greatest values; those of
  /// participation and learning are the first one's.
  std::vector<Replication> replications = {};
};

/// What it cost to find out; the only part of a result that differs from one execution to the next.
struct SimulationCost {
  double wall_s = 0;
  std::uint64_t events = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// What an undisturbed worker computes in an iteration, and where these times come from.
struct ComputeFacts {
  std::string law;
  double forward_s = 0;
  double backward_s = 0;
};

/// Whose costs of a message held, and why these, which is no part of the result: a saved scenario gives it.
struct TransportFacts {
  std::string name;
  std::string reason;
  MessageCosts costs = {};
  /// Under `fair`, how unevenly connections share, see FairOptions; 0 under other engines.
  double unevenness = 0;  // of one stream
  double queued_at_first_link = 0;
  std::optional<double> host_rate_Bps = {};  // see HostCosts; absent where no cable reaches it
  bool are_sums_free = false;                // though cores add, at a rate that nobody has given
};

/// Where ranks were, if not on blocks.
struct PlacementFacts {
  std::string name;                             // "list" where hosts were given
  std::vector<std::string> optimized_for = {};  // the algorithms, each weighted alike
  std::vector<int> hosts;                       // of each rank
};

/// Compares a run with the first one of its scenario, of which it is or will be one.
void compare_with_first(const RunResult& first, RunResult& run);

/// What one of several jobs achieved beside the others.
struct JobResult {
  /// As if it were the only one, counted from its start; the label is its name.
  RunResult run;
  ComputeFacts compute = {};
  std::vector<Rank> workers;  // of the cluster, by its ranks
  std::uint64_t seed = 0;     // its own, given or not
  double start_s = 0;
  /// The same iterations with the cluster to itself.
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

/// The engine of what was measured on real machines.
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
  /// What all of them together sent over the links, where that was asked for.
  std::optional<LinkUses> links = {};
};

}  // namespace starling
