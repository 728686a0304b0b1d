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

/// Multiplies forward and backward times by a random factor of mean 1 and the given coefficient of variation,
/// drawn for every worker and iteration. The normal law is truncated at 0, with its parameters chosen so that
/// mean and coefficient of variation hold after truncation.
template <Law law_of_factor>
struct RandomFactor {
  static constexpr Law law = law_of_factor;
  static constexpr std::string_view name = name_of(law);
  static constexpr std::string_view summary =
      "a random factor of mean 1 on forward and backward times, for every worker and iteration";
  static constexpr std::uint32_t draws_for = 0;  // of all laws
  /// 0 … 10; of a normal law at most 0.95, of a gamma law 0 or at least 0.001
  double coefficient_of_variation = 0;
};

/// The slowest draws come together: this share of all draws falls into this share of the iterations, the same
/// ones for all workers. Any one draw is distributed as without it. 0 ≤ probability ≤ iterations ≤ 1.
struct ClusteredTail {
  double probability = 0;  // 0: all draws are independent
  double iterations = 1;
};

enum class DrawnMeaning { compute, delay };

/// Draws a time for every worker and iteration: the compute time of all passes, forward and backward, in
/// place of the workload's, or a delay before the forward pass. The distribution must be there, in seconds;
/// scenarios name it, as one that comes with Starling or as a file.
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

/// Delays this many distinct workers in every iteration, all sets of them equally likely.
struct RandomDelay {
  static constexpr std::string_view name = "random_delay";
  static constexpr std::string_view summary =
      "so many distinct random workers are delayed in every iteration";
  static constexpr std::uint32_t draws_for = 2;
  int workers = 0;
  double delay_s = 0;
};

/// Delays each worker with this probability in every iteration, independently of the others.
struct IndependentDelay {
  static constexpr std::string_view name = "independent_delay";
  static constexpr std::string_view summary =
      "each worker is delayed with some probability in every iteration";
  static constexpr std::uint32_t draws_for = 3;
  double probability = 0;
  double delay_s = 0;
};

/// Delays rank i by i · step_s; with `rotate` by ((i − t) mod P) · step_s in iteration t, so that the delays
/// move to the next rank in every iteration.
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

/// Each worker is fast or slow by turns: forward and backward times are multiplied by slow_factor while it is
/// slow. Sojourns are geometric with the given means, in iterations (at least 1). Starts in the stationary
/// state, so a worker is slow with probability mean_slow / (mean_slow + mean_fast) in every iteration.
struct MarkovStates {
  static constexpr std::string_view name = "markov";
  static constexpr std::string_view summary = "each worker is slow or fast by turns, for geometric sojourns";
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

/// Compute times of all passes, forward and backward, as recorded, in place of the workload's. Every worker
/// needs points for iterations 0 … n−1, in any order, with an n of its own; after n iterations its times
/// repeat. Points of workers that the job does not have are not used.
struct ComputeTrace {
  static constexpr std::string_view name = "trace";
  static constexpr std::string_view summary =
      "compute times of whole iterations, all passes together, as recorded";
  static constexpr std::uint32_t draws_for = 7;
  std::vector<TracePoint> points;
  std::string file = {};  // what they are read from, if anything
};

/// A worker stops once, before the forward pass of an iteration, for a while, and goes on.
struct Pause {
  static constexpr std::string_view name = "pause";
  static constexpr std::string_view summary = "a worker stops once";
  static constexpr std::uint32_t draws_for = 8;
  Rank worker = 0;
  std::int64_t iteration = 0;
  double duration_s = 0;
};

/// When workers have their slow iterations: each from a random moment on, ranks one after the other spread
/// over the period, or all together at its end.
enum class Phases { random, spread, equal };

/// Each worker is slow in the same so many iterations of every period, one after the other: forward and
/// backward times are multiplied by the factor, and it is delayed by delay_s before each forward pass. What
/// garbage collection, checkpoints, evaluation and day and night do.
struct PeriodicSlowness {
  static constexpr std::string_view name = "periodic";
  static constexpr std::string_view summary =
      "each worker is slow in some iterations of every so many, at a phase of its own";
  static constexpr std::uint32_t draws_for = 11;
  std::int64_t period_iterations = 1;
  std::int64_t slow_iterations = 1;  // at most a period
  double factor = 1;                 // 2 takes twice as long
  double delay_s = 0;
  Phases phases = Phases::random;
};

/// One cause of load imbalance.
using Imbalance =
    std::variant<RandomFactor<Law::normal>, RandomFactor<Law::lognormal>, RandomFactor<Law::gamma>,
                 RandomFactor<Law::weibull>, DrawnTime, RandomDelay, IndependentDelay, LinearSkew,
                 SlowWorkers, MarkovStates, ComputeTrace, Pause, PeriodicSlowness>;

/// What a cause draws depends on its number, `draws_for`, which no other type has or had (9 is taken), and
/// not on its place in a list of types.
std::uint32_t draws_for(const Imbalance& cause);

/// What others must know of a cause; one that says nothing of it does not compile.
struct CauseNature {
  /// How long it remembers what it drew: after how many iterations 1/e of the correlation is left. Of a
  /// Markov chain with sojourns of m and n iterations 1/(1/m + 1/n) ones; 0 where iterations are independent,
  /// and where nothing is drawn.
  double memory_iterations = 0;
  /// How often in an iteration something happens to a worker that need not happen in a run, so that a mean
  /// without it is wrong: that a random delay comes or does not, that a worker of a Markov chain becomes
  /// slow. 0 for causes without such events, and for distributions, whose tails are not looked at.
  double rare_events_per_iteration = 0;
  /// After how many iterations it begins anew, where that is what it is about.
  std::int64_t period = 1;
  /// Whether it stands in place of the workload's compute time; only one of a list may.
  bool replaces_compute_time = false;
  /// Whether it may delay workers before their forward passes.
  bool may_delay = false;
  /// Whether it may make what they compute longer for some than for others.
  bool may_slow = false;
};

CauseNature nature_of(const Imbalance& cause);

/// Describes a cause among that many workers; without workers, what depends on their number is unknown.
void describe_imbalance(Imbalance& cause, int workers, OptionVisitor& visitor);

}  // namespace starling
