#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "base/types.hpp"
#include "workloads/imbalance/distribution.hpp"
#include "workloads/imbalance/unit_mean_law.hpp"

namespace starling {

/// Multiplies forward and backward times by a random factor of mean 1 with the given coefficient of
/// variation, drawn for every worker and iteration. A normal law is truncated at 0, and its parameters are
/// chosen such that mean and coefficient of variation hold after truncation.
template <Law law_of_factor>
struct RandomFactor {
  static constexpr Law law = law_of_factor;
  static constexpr std::string_view name = name_of(law);
  static constexpr std::string_view summary =
      "a random factor of mean 1 on forward and backward times, for every worker and iteration";
  static constexpr std::uint32_t draws_for = 0;  // for all laws
  /// From 0 to 10; for a normal law at most 0.95, for a gamma law 0 or at least 0.001.
  double coefficient_of_variation = 0;
};

/// Makes the slowest draws of all workers coincide: a share `probability` of all draws, the slowest, falls
/// into a share `iterations` of the iterations, which are the same for all workers. The distribution of a
/// single draw does not change. 0 ≤ probability ≤ iterations ≤ 1.
struct ClusteredTail {
  double probability = 0;  // 0: all draws are independent
  double iterations = 1;
};

enum class DrawnMeaning { compute, delay };

/// Draws a time for every worker and iteration: either the compute time of all passes, forward and backward,
/// in place of the workload's, or a delay before the forward pass. The distribution must be set, with values
/// in seconds; scenarios name a shipped one or a file.
struct DrawnTime {
  static constexpr std::string_view name = "distribution";
  static constexpr std::string_view summary =
      "draws the compute time of a whole iteration, all passes forward and backward together, or a delay "
      "that comes on top of it";
  static constexpr std::uint32_t draws_for = 1;
  static constexpr std::uint32_t draws_for_delays = 10;
  std::optional<Distribution> distribution = {};
  ClusteredTail tail = {};
  DrawnMeaning meaning = DrawnMeaning::compute;
  std::optional<std::string> shipped_name = {};
  std::string file = {};
};

/// Delays `workers` distinct workers in every iteration, all sets of them equally likely.
struct RandomDelay {
  static constexpr std::string_view name = "random_delay";
  static constexpr std::string_view summary =
      "a number of distinct random workers is delayed in every iteration";
  static constexpr std::uint32_t draws_for = 2;
  int workers = 0;
  double delay_s = 0;
};

/// Delays each worker with the given probability in every iteration, independently of the others.
struct IndependentDelay {
  static constexpr std::string_view name = "independent_delay";
  static constexpr std::string_view summary =
      "each worker is delayed with some probability in every iteration";
  static constexpr std::uint32_t draws_for = 3;
  double probability = 0;
  double delay_s = 0;
};

/// Delays rank i by i · step_s; with `rotate` by ((i − t) mod P) · step_s in iteration t, so that the delays
/// move on by one rank in every iteration.
struct LinearSkew {
  static constexpr std::string_view name = "linear_skew";
  static constexpr std::string_view summary = "rank i is delayed by i steps";
  static constexpr std::uint32_t draws_for = 4;
  double step_s = 0;
  bool rotate = false;
};

/// Multiplies the forward and backward times of some workers for the whole run.
struct SlowWorkers {
  static constexpr std::string_view name = "slow_workers";
  static constexpr std::string_view summary = "some workers are slow for the whole run";
  static constexpr std::uint32_t draws_for = 5;
  std::vector<Rank> workers;
  double factor = 1;  // 2 takes twice as long
};

/// Each worker alternates between fast and slow; while it is slow, its forward and backward times are
/// multiplied by slow_factor. Sojourn times are geometric with the given means, in iterations (at least 1).
/// The chain starts in its stationary distribution, so in every iteration a worker is slow with probability
/// mean_slow / (mean_slow + mean_fast).
struct MarkovStates {
  static constexpr std::string_view name = "markov";
  static constexpr std::string_view summary =
      "each worker alternates between slow and fast, for geometrically distributed numbers of iterations";
  static constexpr std::uint32_t draws_for = 6;
  double slow_factor = 1;
  double mean_slow_iterations = 1;
  double mean_fast_iterations = 1;
};

struct TracePoint {
  Rank worker = 0;
  std::int64_t iteration = 0;
  double compute_s = 0;
};

/// Recorded compute times of all passes, forward and backward, in place of the workload's. Every worker needs
/// points for iterations 0 … n−1, in any order, where n may differ between workers; after n iterations its
/// times repeat. Points of workers that the job does not have are ignored.
struct ComputeTrace {
  static constexpr std::string_view name = "trace";
  static constexpr std::string_view summary =
      "recorded compute times of whole iterations, all passes together";
  static constexpr std::uint32_t draws_for = 7;
  std::vector<TracePoint> points;
  std::string file = {};  // the file that points were read from, if any
};

/// A worker stops once, for duration_s before the forward pass of an iteration.
struct Pause {
  static constexpr std::string_view name = "pause";
  static constexpr std::string_view summary = "one worker stops once, for a given time";
  static constexpr std::uint32_t draws_for = 8;
  Rank worker = 0;
  std::int64_t iteration = 0;
  double duration_s = 0;
};

/// Where the slow iterations of a worker lie in the period: at a random position for each worker, spread
/// evenly over the period by rank, or at its end for all workers.
enum class Phases { random, spread, equal };

/// Each worker is slow in slow_iterations consecutive iterations of every period: forward and backward times
/// are multiplied by `factor`, and each of these forward passes is delayed by delay_s. Models garbage
/// collection, checkpoints, evaluation, and day and night.
struct PeriodicSlowness {
  static constexpr std::string_view name = "periodic";
  static constexpr std::string_view summary =
      "each worker is slow in some iterations of every period, at a phase of its own";
  static constexpr std::uint32_t draws_for = 11;
  std::int64_t period_iterations = 1;
  std::int64_t slow_iterations = 1;  // at most period_iterations
  double factor = 1;                 // 2 takes twice as long
  double delay_s = 0;
  Phases phases = Phases::random;
};

/// One cause of load imbalance.
using Imbalance =
    std::variant<RandomFactor<Law::normal>, RandomFactor<Law::lognormal>, RandomFactor<Law::gamma>,
                 RandomFactor<Law::weibull>, DrawnTime, RandomDelay, IndependentDelay, LinearSkew,
                 SlowWorkers, MarkovStates, ComputeTrace, Pause, PeriodicSlowness>;

/// The number that determines the random numbers of a cause's type, `draws_for`. No two types share a number
/// or reuse one (9 was used once), except for the laws of factors. So draws do not depend on a type's place
/// in the variant.
std::uint32_t draws_for(const Imbalance& cause);

/// Properties of a cause that do not depend on how it is implemented. Each type of cause must define them, or
/// it does not compile.
struct CauseNature {
  /// The correlation time: after how many iterations the correlation has fallen to 1/e. For a Markov chain
  /// with mean sojourns of m and n iterations it is 1/(1/m + 1/n); 0 where iterations are independent, or
  /// where nothing is drawn.
  double memory_iterations = 0;
  /// The probability, per worker and iteration, of an event that might not occur in a whole run, so that the
  /// run's mean would be wrong: that a random delay occurs or fails to, that a worker of a Markov chain
  /// becomes slow. 0 for causes without such events, and for distributions, whose tails are not examined.
  double rare_events_per_iteration = 0;
  /// The number of iterations after which the cause repeats, for periodic causes; else 1.
  std::int64_t period = 1;
  /// Whether it replaces the workload's compute time, which only one cause of a scenario may.
  bool replaces_compute_time = false;
  /// Whether it may delay the forward passes of workers.
  bool may_delay = false;
  /// Whether it may make the computation of some workers slower than that of others.
  bool may_slow = false;
};

CauseNature nature_of(const Imbalance& cause);

/// Describes a cause for a job of `workers` workers; if that is 0, limits that depend on the number of
/// workers are not known.
void describe_imbalance(Imbalance& cause, int workers, OptionVisitor& visitor);

}  // namespace starling
