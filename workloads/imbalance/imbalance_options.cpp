#include "workloads/imbalance/imbalance_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/options/option_kinds.hpp"

namespace starling {

void describe(ClusteredTail& tail, OptionVisitor& visitor) {
  visitor.number({.key = "iterations", .meaning = "share of the iterations", .is_needed = true},
                 tail.iterations, {.least = 1e-6, .greatest = 1});
  visitor.number(
      {.key = "probability", .meaning = "share of the draws; at most `iterations`", .is_needed = true},
      tail.probability, {.least = 0, .greatest = tail.iterations});
}

namespace {

constexpr Range factor_range{.least = 1e-6, .greatest = 1e6};
constexpr Range sojourn_range{.least = 1, .greatest = 1e9};
constexpr Range share_range{.least = 0, .greatest = 1};
constexpr std::int64_t most_period_iterations = 1'000'000'000;

IntegerRange rank_range(int workers) {
  return {.least = 0, .greatest = (workers > 0 ? workers : most_workers) - 1};
}

void describe_delay(double& delay_s, OptionVisitor& visitor) {
  visitor.time({.key = "delay", .meaning = "delay before the forward pass", .is_needed = true}, delay_s);
}

template <Law law>
void describe_cause(RandomFactor<law>& factor, int, OptionVisitor& visitor) {
  constexpr double greatest =
      law == Law::normal ? UnitMeanLaw::largest_normal_variation : UnitMeanLaw::largest_variation;
  constexpr std::string_view meaning = law == Law::gamma
                                           ? "standard deviation over mean: 0, or at least 0.001"
                                           : "standard deviation over mean";
  visitor.number({.key = "coefficient_of_variation", .meaning = meaning, .is_needed = true},
                 factor.coefficient_of_variation, {.least = 0, .greatest = greatest});
}

void describe_cause(DrawnTime& drawn, int, OptionVisitor& visitor) {
  if (!drawn.distribution) visitor.exactly_one({"name", "file"}, "must name one distribution");
  visitor.text({"name", "a name of `starling list distributions`", "absent, with `file`"},
               drawn.shipped_name);
  visitor.file({"file", "path of a distribution file, instead of `name`", "absent, with `name`"}, drawn.file);
  visitor.choice({"as", "what is drawn: the whole compute time, or a delay that comes on top of it"},
                 drawn.meaning, {{"compute", DrawnMeaning::compute}, {"delay", DrawnMeaning::delay}});
  visitor.object({"clustered_tail",
                  "`probability` p and `iterations` q, both needed, 0 ≤ p ≤ q ≤ 1, q at least 1e-6: "
                  "concentrates the slowest draws of all workers in the same iterations: the slowest share p "
                  "of all draws falls into the share q of the iterations",
                  "absent"},
                 Nested{.describe = [&](OptionVisitor& inner) { describe(drawn.tail, inner); },
                        .is_present = drawn.tail.probability != 0,
                        .may_be_absent = true,
                        .set_present = [&](bool) { drawn.tail = {}; }});
}

void describe_cause(RandomDelay& delay, int workers, OptionVisitor& visitor) {
  visitor.integer({.key = "workers", .meaning = "number of delayed workers", .is_needed = true},
                  delay.workers, {0, workers > 0 ? workers : most_workers});
  describe_delay(delay.delay_s, visitor);
}

void describe_cause(IndependentDelay& delay, int, OptionVisitor& visitor) {
  visitor.number({.key = "probability",
                  .meaning = "probability of a delay, per worker and iteration",
                  .is_needed = true},
                 delay.probability, share_range);
  describe_delay(delay.delay_s, visitor);
}

void describe_cause(LinearSkew& skew, int, OptionVisitor& visitor) {
  visitor.time(
      {.key = "step", .meaning = "difference between the delays of consecutive ranks", .is_needed = true},
      skew.step_s);
  visitor.flag({"rotate",
                "whether delays move to the next rank in every iteration: rank r of P has ((r − t) mod P) "
                "steps in iteration t"},
               skew.rotate);
}

void describe_cause(SlowWorkers& slow, int workers, OptionVisitor& visitor) {
  visitor.integers({.key = "workers", .meaning = "ranks of the slow workers", .is_needed = true},
                   slow.workers, rank_range(workers), {.least = 1, .noun = "ranks", .unique = "rank"});
  visitor.number({.key = "factor",
                  .meaning = "factor on forward and backward times: 2 takes twice as long",
                  .is_needed = true},
                 slow.factor, factor_range);
}

void describe_cause(MarkovStates& states, int, OptionVisitor& visitor) {
  visitor.number({.key = "slow_factor",
                  .meaning = "factor on forward and backward times: 2 takes twice as long",
                  .is_needed = true},
                 states.slow_factor, factor_range);
  visitor.number({.key = "mean_slow",
                  .meaning = "mean number of iterations for which a worker stays slow",
                  .is_needed = true},
                 states.mean_slow_iterations, sojourn_range);
  visitor.number({.key = "mean_fast",
                  .meaning = "mean number of iterations for which a worker stays fast",
                  .is_needed = true},
                 states.mean_fast_iterations, sojourn_range);
}

void describe_cause(ComputeTrace& trace, int, OptionVisitor& visitor) {
  visitor.file(
      {.key = "file",
       .meaning = "CSV of `worker,iteration,seconds`; every worker needs iterations 0 … n − 1, after "
                  "which its times repeat",
       .is_needed = true},
      trace.file);
}

void describe_cause(Pause& pause, int workers, OptionVisitor& visitor) {
  visitor.integer({.key = "worker", .meaning = "rank of the worker that stops", .is_needed = true},
                  pause.worker, rank_range(workers));
  visitor.integer({.key = "iteration",
                   .meaning = "iteration before whose forward pass the worker stops",
                   .is_needed = true},
                  pause.iteration);
  visitor.time({.key = "duration", .meaning = "how long the worker stops", .is_needed = true},
               pause.duration_s);
}

void describe_cause(PeriodicSlowness& slowness, int, OptionVisitor& visitor) {
  visitor.integer({.key = "every", .meaning = "number of iterations in a period", .is_needed = true},
                  slowness.period_iterations, {.least = 1, .greatest = most_period_iterations});
  visitor.integer({"iterations", "number of consecutive iterations of a period in which a worker is slow"},
                  slowness.slow_iterations, {.least = 1, .greatest = most_period_iterations});
  visitor.require(slowness.slow_iterations <= slowness.period_iterations, "iterations",
                  "more than a period has", fmt::format("at most {}", slowness.period_iterations));
  visitor.at_least_one({"factor", "delay"}, "must say how slow workers are");
  visitor.number({"factor", "factor on forward and backward times: 2 takes twice as long"}, slowness.factor,
                 factor_range);
  visitor.time({"delay", "delay before the forward pass of each slow iteration"}, slowness.delay_s);
  visitor.choice({"phases",
                  "when workers are slow: `random`: each from a random iteration of the period on; `spread`: "
                  "ranks one after the other, spread over the period; `equal`: all together at its end"},
                 slowness.phases,
                 {{"random", Phases::random}, {"spread", Phases::spread}, {"equal", Phases::equal}});
}

// The nature of each cause; properties that are left out have their defaults.

template <Law law>
CauseNature nature(const RandomFactor<law>&) {
  return {.may_slow = true};
}

CauseNature nature(const DrawnTime& drawn) {
  const bool is_delay = drawn.meaning == DrawnMeaning::delay;
  return {.replaces_compute_time = !is_delay, .may_delay = is_delay, .may_slow = !is_delay};
}

CauseNature nature(const RandomDelay& delay) { return {.may_delay = delay.delay_s > 0}; }

CauseNature nature(const IndependentDelay& delay) {
  if (delay.delay_s <= 0) return {};
  return {.rare_events_per_iteration = std::min(delay.probability, 1 - delay.probability), .may_delay = true};
}

CauseNature nature(const LinearSkew&) { return {.may_delay = true}; }

CauseNature nature(const SlowWorkers&) { return {.may_slow = true}; }

CauseNature nature(const MarkovStates& states) {
  const double cycle = states.mean_slow_iterations + states.mean_fast_iterations;
  return {.memory_iterations = 1 / (1 / states.mean_slow_iterations + 1 / states.mean_fast_iterations),
          .rare_events_per_iteration = states.slow_factor != 1 ? 1 / cycle : 0,
          .may_slow = true};
}

CauseNature nature(const ComputeTrace&) { return {.replaces_compute_time = true, .may_slow = true}; }

CauseNature nature(const Pause&) { return {.may_delay = true}; }

CauseNature nature(const PeriodicSlowness& slowness) {
  return {.period = slowness.period_iterations,
          .may_delay = slowness.delay_s > 0,
          .may_slow = slowness.factor != 1};
}

/// Whether all types of causes have different numbers, except for the laws of factors, which share one.
template <typename... Causes>
constexpr bool have_draws_of_their_own(const std::variant<Causes...>*) {
  constexpr std::uint32_t no_longer_used = 9;
  std::vector<std::uint32_t> taken{no_longer_used, DrawnTime::draws_for_delays,
                                   RandomFactor<Law::normal>::draws_for};
  const auto take = [&](std::uint32_t number, bool is_factor) {
    if (is_factor) return true;
    const bool is_free = std::ranges::find(taken, number) == taken.end();
    taken.push_back(number);
    return is_free;
  };
  return (take(
              Causes::draws_for, requires { Causes::law; }) &&
          ...);
}

static_assert(have_draws_of_their_own(static_cast<const Imbalance*>(nullptr)),
              "a cause's `draws_for` must be a number that no other cause has or had");

}  // namespace

std::uint32_t draws_for(const Imbalance& cause) {
  if (const auto* drawn = std::get_if<DrawnTime>(&cause); drawn && drawn->meaning == DrawnMeaning::delay)
    return DrawnTime::draws_for_delays;
  return std::visit([](const auto& chosen) { return chosen.draws_for; }, cause);
}

CauseNature nature_of(const Imbalance& cause) {
  return std::visit([](const auto& chosen) { return nature(chosen); }, cause);
}

void describe_imbalance(Imbalance& cause, int workers, OptionVisitor& visitor) {
  Kinds kinds = kinds_of(cause, "kind of imbalance");
  kinds.later = {"failure"};
  kinds.describe = [&](OptionVisitor& inner) {
    std::visit([&](auto& chosen) { describe_cause(chosen, workers, inner); }, cause);
  };
  visitor.kind(kinds);
}

}  // namespace starling
