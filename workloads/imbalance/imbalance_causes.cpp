#include "workloads/imbalance/imbalance_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/numbers/mix.hpp"
#include "base/reject.hpp"
#include "workloads/imbalance/unit_mean_law.hpp"

namespace starling {

namespace {

// The 32 bits of a stream's number: 4 for the type of the cause, 8 for its occurrence, 20 for the draw.
constexpr std::uint32_t types_of_a_seed = 16;

/// Types 0 to 15 use the seed itself; every further 16 types use a seed derived from it.
std::uint64_t seed_for(std::uint64_t seed, std::uint32_t type) {
  return type < types_of_a_seed ? seed : mix(seed + type / types_of_a_seed);
}

std::uint32_t stream_of(std::uint32_t type, std::size_t occurrence) {
  return type % types_of_a_seed << 28 | static_cast<std::uint32_t>(occurrence) << 20;
}

}  // namespace

CauseDraws::CauseDraws(std::uint64_t seed, std::uint32_t type, std::size_t occurrence)
    : random_(seed_for(seed, type), Purpose::imbalance), stream_(stream_of(type, occurrence)) {
  if (occurrence >= most_occurrences) {
    reject("imbalance: more than {} causes of one kind", most_occurrences);
  }
}

namespace {

/// Draws of times, in seconds.
class TimeDraws {
 public:
  TimeDraws(const DrawnTime& options, const CauseDraws& draws)
      : distribution_(needed(options.distribution)), tail_(options.tail), draws_(draws) {
    if (distribution_.unit() != "s") {
      reject("distribution: {} has values in {}; compute times need seconds", distribution_.name(),
             distribution_.unit());
    }
  }

  double seconds(Rank rank, std::int64_t iteration) const {
    const double uniform = draws_.uniform(rank, iteration);
    return distribution_.quantile(tail_.probability > 0 ? clustered(uniform, iteration) : uniform);
  }

 private:
  static const Distribution& needed(const std::optional<Distribution>& distribution) {
    if (!distribution) reject("distribution: there is none to draw from");
    return *distribution;
  }

  /// The probability at which to evaluate the quantile function: only slow iterations reach the tail.
  double clustered(double uniform, std::int64_t iteration) const {
    const bool is_slow = draws_.uniform_for_all(iteration) < tail_.iterations;
    const double share = is_slow ? tail_.probability / tail_.iterations : 0;
    const double body = 1 - tail_.probability;
    if (uniform < 1 - share) return uniform / (1 - share) * body;
    return std::min(1.0, body + (uniform - (1 - share)) / share * tail_.probability);
  }

  Distribution distribution_;
  ClusteredTail tail_;
  CauseDraws draws_;
};

/// The compute time by which drawn or traced times are divided to give a factor. @throws
/// std::invalid_argument if it is 0.
double required_compute_time(std::string_view cause, const CauseContext& context) {
  if (context.total_compute_s > 0) return context.total_compute_s;
  reject("{}: cannot replace a compute time of 0 s, as nothing says how to split it over layers and passes",
         cause);
}

class RandomFactorCause final : public ImbalanceCause {
 public:
  RandomFactorCause(Law law, double coefficient_of_variation, const CauseContext& context)
      : law_(law, coefficient_of_variation), draws_(context.draws) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    load.factor *= law_.quantile(draws_.uniform(rank, iteration));
  }

 private:
  UnitMeanLaw law_;
  CauseDraws draws_;
};

class DrawnComputeTimeCause final : public ImbalanceCause {
 public:
  DrawnComputeTimeCause(const DrawnTime& options, const CauseContext& context)
      : draws_(options, context.draws), total_compute_s_(required_compute_time("distribution", context)) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    load.factor *= draws_.seconds(rank, iteration) / total_compute_s_;
  }

 private:
  TimeDraws draws_;
  double total_compute_s_;
};

class DrawnDelayCause final : public ImbalanceCause {
 public:
  DrawnDelayCause(const DrawnTime& options, const CauseContext& context) : draws_(options, context.draws) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    load.delay_s += draws_.seconds(rank, iteration);
  }

 private:
  TimeDraws draws_;
};

/// A random set of distinct workers for each iteration, all sets equally likely. Caches the sets of the
/// `kept` iterations requested last. So all workers together take O(P + k) per iteration while they are less
/// than `kept` iterations apart.
class DistinctWorkers {
 public:
  DistinctWorkers(int workers, int sample_size, const CauseDraws& draws)
      : workers_(workers), sample_size_(sample_size), draws_(draws), samples_(kept) {}

  bool contains(Rank rank, std::int64_t iteration) const {
    Sample& sample = samples_[static_cast<std::size_t>(iteration) % kept];
    if (sample.iteration != iteration) draw(iteration, sample);
    return sample.is_taken[static_cast<std::size_t>(rank)];
  }

 private:
  static constexpr std::size_t kept = 16;

  struct Sample {
    std::int64_t iteration = -1;
    std::vector<bool> is_taken;  // of each worker
  };

  /// Floyd's sampling: for last = P−k … P−1, takes a random number of 0 … last, or `last` itself if that
  /// number was taken before. Reference: Bentley, Floyd, "Programming pearls: a sample of brilliance", CACM
  /// 30(9), 1987.
  void draw(std::int64_t iteration, Sample& sample) const {
    sample.iteration = iteration;
    sample.is_taken.assign(static_cast<std::size_t>(workers_), false);
    for (int number = 0; number < sample_size_; ++number) {
      const int last = workers_ - sample_size_ + number;
      const auto drawn = static_cast<std::size_t>(draws_.below(last + 1, iteration, number));
      sample.is_taken[sample.is_taken[drawn] ? static_cast<std::size_t>(last) : drawn] = true;
    }
  }

  int workers_;
  int sample_size_;
  CauseDraws draws_;
  mutable std::vector<Sample> samples_;  // indexed by iteration mod kept
};

class RandomDelayCause final : public ImbalanceCause {
 public:
  RandomDelayCause(const RandomDelay& options, const CauseContext& context)
      : delay_s_(options.delay_s),
        draws_the_delayed_(options.workers <= context.workers / 2),
        drawn_(context.workers, std::min(options.workers, context.workers - options.workers), context.draws) {
  }

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    if (drawn_.contains(rank, iteration) == draws_the_delayed_) load.delay_s += delay_s_;
  }

 private:
  double delay_s_;
  bool draws_the_delayed_;  // whether the delayed workers are drawn, or the others: whichever are fewer
  DistinctWorkers drawn_;
};

class IndependentDelayCause final : public ImbalanceCause {
 public:
  IndependentDelayCause(const IndependentDelay& options, const CauseContext& context)
      : options_(options), draws_(context.draws) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    if (draws_.uniform(rank, iteration) < options_.probability) load.delay_s += options_.delay_s;
  }

 private:
  IndependentDelay options_;
  CauseDraws draws_;
};

class LinearSkewCause final : public ImbalanceCause {
 public:
  LinearSkewCause(const LinearSkew& options, const CauseContext& context)
      : options_(options), workers_(context.workers) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    const std::int64_t shift = options_.rotate ? iteration % workers_ : 0;
    const std::int64_t steps = (rank - shift + workers_) % workers_;
    load.delay_s += static_cast<double>(steps) * options_.step_s;
  }

 private:
  LinearSkew options_;
  int workers_;
};

class SlowWorkersCause final : public ImbalanceCause {
 public:
  SlowWorkersCause(const SlowWorkers& options, const CauseContext& context)
      : factors_(static_cast<std::size_t>(context.workers), 1.0) {
    for (const Rank worker : options.workers) factors_[static_cast<std::size_t>(worker)] = options.factor;
  }

  void apply(Rank rank, std::int64_t, Load& load) const override {
    load.factor *= factors_[static_cast<std::size_t>(rank)];
  }

 private:
  std::vector<double> factors_;  // per worker
};

class MarkovCause final : public ImbalanceCause {
 public:
  MarkovCause(const MarkovStates& options, const CauseContext& context)
      : slow_factor_(options.slow_factor),
        draws_(context.draws),
        latest_(static_cast<std::size_t>(context.workers)) {
    const double enter = 1 / options.mean_fast_iterations;
    const double leave = 1 / options.mean_slow_iterations;
    correlation_ = 1 - enter - leave;
    slow_share_ = enter / (enter + leave);
    slow_share_of_redraws_ = correlation_ >= 0 ? slow_share_ : (1 - leave) / (2 - enter - leave);
  }

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    if (is_slow(rank, iteration)) load.factor *= slow_factor_;
  }

 private:
  struct State {
    std::int64_t iteration = -1;
    bool is_slow = false;
  };

  /// A chain of two states that it leaves with probabilities p and q is equivalent to this one: with
  /// probability |1−p−q| it keeps its state (or changes it, if 1−p−q is negative), and otherwise forgets it
  /// and draws a new one. So the state can be computed from the last time the chain forgot, without its whole
  /// past; and at once if the preceding state is known.
  bool is_slow(Rank rank, std::int64_t iteration) const {
    State& latest = latest_[static_cast<std::size_t>(rank)];
    latest = {iteration, is_slow(rank, iteration, latest)};
    return latest.is_slow;
  }

  bool is_slow(Rank rank, std::int64_t iteration, const State& known) const {
    const double remember = std::abs(correlation_);
    bool is_changed = false;
    for (std::int64_t step = iteration; step > 0; --step) {
      if (step == known.iteration) return known.is_slow != is_changed;
      const double drawn = draws_.uniform(rank, step);
      if (drawn >= remember)
        return ((drawn - remember) / (1 - remember) < slow_share_of_redraws_) != is_changed;
      if (correlation_ < 0) is_changed = !is_changed;
    }
    return (draws_.uniform(rank, 0) < slow_share_) != is_changed;
  }

  double slow_factor_;
  CauseDraws draws_;
  mutable std::vector<State> latest_;  // the state requested last, of each worker
  double correlation_ = 0;             // of successive states
  double slow_share_ = 0;
  double slow_share_of_redraws_ = 0;
};

class ComputeTraceCause final : public ImbalanceCause {
 public:
  ComputeTraceCause(const ComputeTrace& options, const CauseContext& context)
      : source_(options.file.empty() ? "trace" : fmt::format("trace {}", options.file)),
        factors_(static_cast<std::size_t>(context.workers)) {
    const double total_compute_s = required_compute_time(source_, context);
    std::vector<TracePoint> points = options.points;
    std::ranges::sort(points, {},
                      [](const TracePoint& point) { return std::pair(point.worker, point.iteration); });
    for (const TracePoint& point : points) {
      validate(point);
      if (point.worker < context.workers) append(point, total_compute_s);
    }
    for (std::size_t worker = 0; worker < factors_.size(); ++worker) {
      if (factors_[worker].empty())
        reject("{}: worker {} has no times; each of the {} workers needs a time for {}", source_, worker,
               factors_.size(), iterations_needed);
    }
  }

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    const std::vector<double>& factors = factors_[static_cast<std::size_t>(rank)];
    load.factor *= factors[static_cast<std::size_t>(iteration) % factors.size()];
  }

 private:
  void validate(const TracePoint& point) const {
    if (point.worker < 0) reject("{}: there is no worker {}; the first is 0", source_, point.worker);
    if (point.iteration < 0) reject("{}: there is no iteration {}; the first is 0", source_, point.iteration);
    if (!std::isfinite(point.compute_s) || point.compute_s < 0)
      reject("{}: the time of worker {} in iteration {} is {} s; it must be finite and not negative", source_,
             point.worker, point.iteration, point.compute_s);
  }

  void append(const TracePoint& point, double total_compute_s) {
    std::vector<double>& factors = factors_[static_cast<std::size_t>(point.worker)];
    const auto expected = static_cast<std::int64_t>(factors.size());
    if (point.iteration != expected) {
      if (point.iteration < expected)
        reject("{}: worker {} has two times for iteration {}", source_, point.worker, point.iteration);
      reject("{}: worker {} has no time for iteration {}, but one for iteration {}; it needs a time for {}",
             source_, point.worker, expected, point.iteration, iterations_needed);
    }
    factors.push_back(point.compute_s / total_compute_s);
  }

  static constexpr std::string_view iterations_needed =
      "every iteration from 0 to its last, after which they repeat";

  std::string source_;                        // its name in errors
  std::vector<std::vector<double>> factors_;  // of each worker and iteration
};

class PauseCause final : public ImbalanceCause {
 public:
  explicit PauseCause(const Pause& pause) : pause_(pause) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    if (rank == pause_.worker && iteration == pause_.iteration) load.delay_s += pause_.duration_s;
  }

 private:
  Pause pause_;
};

class PeriodicCause final : public ImbalanceCause {
 public:
  PeriodicCause(const PeriodicSlowness& options, const CauseContext& context)
      : options_(options), workers_(context.workers), draws_(context.draws) {}

  void apply(Rank rank, std::int64_t iteration, Load& load) const override {
    const std::int64_t place =
        (iteration % options_.period_iterations + first_place(rank)) % options_.period_iterations;
    if (place < options_.period_iterations - options_.slow_iterations) return;
    load.factor *= options_.factor;
    load.delay_s += options_.delay_s;
  }

 private:
  /// The position within its period at which a worker begins.
  std::int64_t first_place(Rank rank) const {
    const auto period = static_cast<double>(options_.period_iterations);
    switch (options_.phases) {
      case Phases::random:
        return static_cast<std::int64_t>(draws_.uniform(rank, 0) * period);
      case Phases::spread:
        return static_cast<std::int64_t>(rank * period / workers_);
      case Phases::equal:
        return 0;
    }
    throw InvariantError("there are no such phases");
  }

  PeriodicSlowness options_;
  int workers_;
  CauseDraws draws_;
};

/// Makes the class that implements each kind of options.
struct Preparation {
  using Result = std::unique_ptr<const ImbalanceCause>;
  const CauseContext& context;

  template <Law law>
  Result operator()(const RandomFactor<law>& options) const {
    return std::make_unique<RandomFactorCause>(law, options.coefficient_of_variation, context);
  }
  Result operator()(const DrawnTime& options) const {
    if (options.meaning == DrawnMeaning::delay) return std::make_unique<DrawnDelayCause>(options, context);
    return std::make_unique<DrawnComputeTimeCause>(options, context);
  }
  Result operator()(const RandomDelay& options) const {
    return std::make_unique<RandomDelayCause>(options, context);
  }
  Result operator()(const IndependentDelay& options) const {
    return std::make_unique<IndependentDelayCause>(options, context);
  }
  Result operator()(const LinearSkew& options) const {
    return std::make_unique<LinearSkewCause>(options, context);
  }
  Result operator()(const SlowWorkers& options) const {
    return std::make_unique<SlowWorkersCause>(options, context);
  }
  Result operator()(const MarkovStates& options) const {
    return std::make_unique<MarkovCause>(options, context);
  }
  Result operator()(const ComputeTrace& options) const {
    return std::make_unique<ComputeTraceCause>(options, context);
  }
  Result operator()(const Pause& options) const { return std::make_unique<PauseCause>(options); }
  Result operator()(const PeriodicSlowness& options) const {
    return std::make_unique<PeriodicCause>(options, context);
  }
};

}  // namespace

std::unique_ptr<const ImbalanceCause> make_cause(const Imbalance& options, const CauseContext& context) {
  return std::visit(Preparation{context}, options);
}

}  // namespace starling
