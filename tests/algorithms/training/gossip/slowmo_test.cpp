#include "algorithms/training/gossip/slowmo.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "algorithms/collectives/cost.hpp"
#include "gossip_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

const Workload slowly_trained = one_layer(7, 0.01, 0.02);
constexpr double fast_learning_rate = 0.1;

/// Workers begin at 1, and worker i's gradients are those of ½|x − i|².
Replica equal_start(Rank rank) {
  return Replica(slowly_trained, std::vector<float>(7, 1.0F), {.learning_rate = fast_learning_rate},
                 [rank](std::int64_t, std::span<const float> parameters, std::span<float> gradients) {
                   for (std::size_t i = 0; i < gradients.size(); ++i)
                     gradients[i] = parameters[i] - static_cast<float>(rank);
                 });
}

Trained train_slowly(const SlowMoOptions& options, int workers, std::int64_t iterations) {
  const StarCluster cluster{workers, 1e-5, 1e8, 1e-10};
  return run_algorithm(
      *make_algorithm(options, slowly_trained, cluster.facts()), slowly_trained,
      {.cluster = cluster, .iterations = iterations, .load = random_load(3), .replica = equal_start});
}

/// Algorithm 1 of the paper, u and all, or with DiLoCo's step, of the mean of all models: that is what a step
/// with the mean gradient makes of it, as gradients are linear.
double mean_after(const SlowMoOptions& options, int workers, int slow_steps) {
  const double optimum = (workers - 1) / 2.0;
  double start = 1;
  double slow_momentum = 0;
  for (int step = 0; step < slow_steps; ++step) {
    const double average =
        optimum + std::pow(1 - fast_learning_rate, options.sync_period) * (start - optimum);
    const double gradient = (start - average) / fast_learning_rate;
    slow_momentum = options.momentum * slow_momentum + gradient;
    const double along = options.nesterov ? options.momentum * slow_momentum + gradient : slow_momentum;
    start -= options.slow_learning_rate * fast_learning_rate * along;
  }
  return start;
}

TEST_CASE(
    "after every slow step of SlowMo all workers have the model of the paper's recursion, locally or over a "
    "graph") {
  for (const int workers : {1, 2, 4, 6})
    for (const double momentum : {0.0, 0.6})
      for (const double slow_learning_rate : {0.5, 1.0})
        for (const bool nesterov : momentum > 0 ? std::vector{false, true} : std::vector{false})
          for (const bool is_local : {true, false}) {
            SlowMoOptions options{.sync_period = 4,
                                  .momentum = momentum,
                                  .slow_learning_rate = slow_learning_rate,
                                  .nesterov = nesterov};
            if (!is_local && workers > 1) options.mixing = MixingOptions{.graph = OnePeerExponentialGraph{}};
            const Trained trained = train_slowly(options, workers, 12);
            CAPTURE(workers);
            CAPTURE(momentum);
            CAPTURE(slow_learning_rate);
            CAPTURE(nesterov);
            CAPTURE(is_local);
            // Single-precision roundings of 15 steps of numbers up to 5.
            CHECK(std::abs(trained.parameters[0][3] - mean_after(options, workers, 3)) < 15 * 5 * 0x1p-23);
            for (const auto& model : trained.parameters) CHECK(model == trained.parameters.front());
          }
}

TEST_CASE("DiLoCo's outer steps look ahead along the momentum") {
  const auto after = [](std::int64_t iterations) {
    const SlowMoOptions diloco{
        .sync_period = 1, .momentum = 0.9, .slow_learning_rate = 0.7, .nesterov = true};
    return train_slowly(diloco, 2, iterations).parameters[1][3];
  };
  // From 1, 0.5 from the optimum: v = Δ = 0.1 · 0.5: 1 − 0.7 (0.9 · 0.05 + 0.05)
  CHECK(after(1) == about(0.9335, 1e-6));
  // Δ = 0.1 · 0.4335, v = 0.9 · 0.05 + 0.04335 = 0.08835: 0.9335 − 0.7 (0.9 · 0.08835 + 0.04335)
  CHECK(after(2) == about(0.8474945, 1e-6));
}

TEST_CASE("SlowMo without momentum and with a slow learning rate of 1 is local SGD") {
  for (const std::int64_t iterations : {11, 12}) {
    const StarCluster cluster{5, 1e-5, 1e8, 1e-10};
    const TrainingSetup setup{
        .cluster = cluster, .iterations = iterations, .load = random_load(4), .replica = equal_start};
    const Trained slow = train(SlowMoOptions{.sync_period = 4, .momentum = 0}, slowly_trained, setup);
    const Trained local = train(LocalSgdOptions{.sync_period = 4}, slowly_trained, setup);
    // Single-precision roundings of as many steps.
    for (std::size_t rank = 0; rank < 5; ++rank)
      CHECK(slow.parameters[rank][3] == about(local.parameters[rank][3], 1e-5));
    CHECK(slow.statistics.makespan_s == local.statistics.makespan_s);
    CHECK(slow.statistics.messages == local.statistics.messages);
  }
}

TEST_CASE("the average that SlowMo takes of pushed models is the mean of all, whatever their weights") {
  constexpr int workers = 5;
  const StarCluster cluster{.workers = workers};
  const Workload workload = one_layer(3, 0.01, 0.02);
  const auto algorithm = make_algorithm(
      SlowMoOptions{.sync_period = 6, .momentum = 0, .mixing = MixingOptions{.graph = StarGraph{}}}, workload,
      cluster.facts());
  double sum = 0;
  const Trained trained =
      run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 6, .replica = [&](Rank rank) {
                                             Replica replica = different_replica(workload, rank, 0);
                                             sum += replica.parameters().data()[1];
                                             return replica;
                                           }});
  // Single-precision roundings of six exchanges.
  for (const auto& model : trained.parameters) CHECK(model[1] == about(sum / workers, 1e-5));
}

TEST_CASE(
    "only every τ-th iteration of SlowMo waits for all workers, and over a graph each waits for neighbors") {
  const Workload workload = one_layer(24'000, 0.01, 0.02, 1e-8);
  const double compute_s = 0.03 + 24'000 * 4 * 1e-8;
  for (const int workers : {1, 2, 6})
    for (const bool is_local : {true, false}) {
      const StarCluster cluster{workers, 2e-5, 1e8, 1e-10};
      const double average_s = cost::ring_allreduce(workers, 96'000, cluster.facts().costs);
      const double push_s = is_local || workers == 1 ? 0 : 2e-5 + 96'004 * (1e-8 + 1e-10);
      SlowMoOptions options{.sync_period = 3};
      if (!is_local && workers > 1)
        options.mixing = MixingOptions{.graph = RingGraph{.direction = RingDirection::right}};
      const auto algorithm = make_algorithm(options, workload, cluster.facts());
      const Trained trained = run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 8});
      CAPTURE(workers);
      CAPTURE(is_local);
      for (int i = 0; i < 8; ++i)
        CHECK(trained.end_s(i) ==
              about((i + 1) * (compute_s + push_s) + (i + 1) / 3 * average_s, rounding_of_sums));
    }
}

TEST_CASE(
    "SlowMo counts an average as an operation of all workers, and a push as one of each worker's neighbors") {
  const StarCluster cluster{.workers = 4};
  ParticipationLog log(4);
  run_algorithm(*make_algorithm(SlowMoOptions{.sync_period = 2,
                                              .mixing = MixingOptions{.graph = OnePeerExponentialGraph{}}},
                                slowly_trained, cluster.facts()),
                slowly_trained, {.cluster = cluster, .iterations = 5, .participation = &log});
  CHECK(log.active_workers_histogram() == std::vector<std::int64_t>{0, 0, 5 * 4, 0, 2});
  CHECK(log.stale_contributions() == 0);
}

TEST_CASE("the period of SlowMo is the common multiple of those of slow steps and of the graph") {
  const TrainingOptions local = SlowMoOptions{.sync_period = 6};
  CHECK(local.pattern_period({.workers = 16}) == 6);
  const TrainingOptions pushing =
      SlowMoOptions{.sync_period = 6, .mixing = MixingOptions{.graph = OnePeerExponentialGraph{}}};
  CHECK(pushing.pattern_period({.workers = 16}) == 12);
}

TEST_CASE("invalid options of SlowMo are refused") {
  const auto make = [](const SlowMoOptions& options) {
    return make_training_algorithm(options, slowly_trained, {.workers = 4});
  };
  CHECK_THROWS_WITH_AS(make({.sync_period = 0}), "slowmo: period is 0; it must be from 1 to 2147483647",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make({.momentum = 1}), "slowmo: momentum is 1; it must be at least 0 and less than 1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make({.slow_learning_rate = 0}),
                       "slowmo: slow_learning_rate is 0; it must be greater than 0 and at most 1000000",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(make({.mixing = MixingOptions{.graph = StarGraph{}, .rule = MixingRule::uniform}}),
                       "slowmo: mixing matrix: the weights given to worker 0's model in iteration 0 sum to "
                       "1.75, but must sum to 1",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
