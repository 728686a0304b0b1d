#include "algorithms/training/partial/eager_sgd.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "partial_fixture.hpp"
#include "sim/random.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

const EagerOptions eager_solo{};
const EagerOptions eager_majority{.kind = EagerOptions::majority};

/// A replica of one parameter whose gradient is rank + 1 in every iteration.
Replica counting_replica(const Workload& workload, Rank rank) {
  return Replica(workload, {0.0F}, {.learning_rate = 1.0},
                 [rank](std::int64_t, std::span<const float>, std::span<float> gradients) {
                   gradients[0] = static_cast<float>(rank + 1);
                 });
}

std::string eager_complaint(const EagerOptions& options, int workers) {
  try {
    make_training_algorithm(options, single_tensor(1, 1), {.workers = workers});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("eager-SGD refuses options out of their range and names what it accepts") {
  CHECK(eager_complaint(eager_solo, 6) == "eager_solo: workers is 6; it must be a power of two");
  CHECK(eager_complaint({.limiter = -1}, 4) == "eager_solo: limiter is -1; it must be at least 0");
  CHECK(eager_complaint({.kind = EagerOptions::majority, .model_sync_iterations = -2}, 4) ==
        "eager_majority: model_sync_iterations is -2; it must be at least 0");
  CHECK(eager_complaint({.bucket_bytes = -1}, 4) ==
        "eager_solo: bucket_bytes is -1; it must be from 0 to 1e+18");
  CHECK(eager_complaint({.kind = "eager"}, 4) ==
        "eager: kind is eager; it must be eager_solo or eager_majority");
  CHECK(eager_complaint(eager_solo, 4).empty());
}

TEST_CASE(
    "equal workers of eager-SGD take the time of a synchronous all-reduce, and none of their gradients is "
    "late") {
  // Eager-SGD also sends activations of 4 bytes with a latency each, beside buckets of megabytes: below 1 %.
  constexpr double tolerance = 0.01;
  const Workload workload = random_workload(3, 12, 8, 2'000'000);
  for (const int workers : {2, 8}) {
    const TrainingSetup setup{.cluster = {workers, 1e-5, 1e9, 0}, .iterations = 4};
    const Trained synchronous = train(WfbpOptions{.collective = "recursive_doubling"}, workload, setup);
    for (EagerOptions options : {eager_solo, eager_majority}) {
      const PartialRun run = train(options, workload, setup);
      CAPTURE(options.kind);
      CHECK(run.trained.end_s(3) == about(synchronous.end_s(3), tolerance));
      CHECK(run.participation.stale_contributions() == 0);
      CHECK(run.participation.mean_active_workers() == workers);
    }
  }
}

TEST_CASE(
    "beside P·log₂P data messages eager-SGD sends P − 1 activations, or P·log₂P if all ranks start at once") {
  for (const EagerOptions& options : {eager_solo, eager_majority}) {
    CAPTURE(options.kind);
    const PartialRun run =
        train(options, single_tensor(1000, 1), {.cluster = {8, 1e-5, 1e9, 0}, .iterations = 4});
    const std::uint64_t activations = options.kind == EagerOptions::solo ? 8 * 3 : 8 - 1;
    CHECK(run.trained.statistics.messages == 4 * (8 * 3 + activations));
  }
}

TEST_CASE("without imbalance eager-SGD ends with the models of synchronous descent") {
  const Workload workload = single_tensor(1, 1);
  for (const EagerOptions& options :
       {eager_solo, eager_majority, EagerOptions{.late_gradients = LateGradients::drop}}) {
    const PartialRun run =
        train(options, workload, {.cluster = free_network(4), .iterations = 3, .replica = [&](Rank rank) {
                                    return counting_replica(workload, rank);
                                  }});
    // The mean gradient is 2.5.
    for (const auto& parameters : run.trained.parameters) CHECK(parameters.front() == -7.5F);
  }
}

TEST_CASE("a late gradient of eager-SGD goes with the next one, or is dropped") {
  // Rank 1 is 0.5 s late in iteration 0 and never catches up: it makes the gradients of iterations 0, 1, 2 at
  // 1.5, 2.5 and 3.5 s, for operations that ran at 1, 2 and 3 s.
  const Workload workload = single_tensor(1, 1);
  const TrainingSetup setup{.cluster = free_network(2),
                            .iterations = 3,
                            .load =
                                [](Rank rank, std::int64_t iteration) {
                                  return Load{.delay_s = rank == 1 && iteration == 0 ? 0.5 : 0, .factor = 1};
                                },
                            .replica = [&](Rank rank) { return counting_replica(workload, rank); }};
  const PartialRun accumulated = train(eager_solo, workload, setup);
  // Rank 0 takes a step of 1/2, 3/2, 3/2; rank 1 reads the newest sum each time, with the same values.
  CHECK(accumulated.trained.parameters[0].front() == -3.5F);
  CHECK(accumulated.trained.parameters[1].front() == -3.5F);
  CHECK(accumulated.participation.fresh_contributions() == 3);
  CHECK(accumulated.participation.stale_contributions() == 2);
  CHECK(accumulated.participation.absent_contributions() == 1);
  CHECK(accumulated.participation.max_staleness_iterations() == 1);

  const PartialRun dropped = train({.late_gradients = LateGradients::drop}, workload, setup);
  CHECK(dropped.trained.parameters[0].front() == -1.5F);
  CHECK(dropped.participation.stale_contributions() == 0);
  CHECK(dropped.participation.absent_contributions() == 3);
}

TEST_CASE("eager-SGD solo waits for a slow worker only in executions that the limiter holds") {
  const Workload workload = single_tensor(1, 1);
  const auto load = [](Rank rank, std::int64_t) { return Load{.delay_s = rank == 3 ? 1.0 : 0, .factor = 1}; };
  const TrainingSetup setup{.cluster = free_network(4), .iterations = 8, .load = load};
  const PartialRun free = train(eager_solo, workload, setup);
  CHECK(free.trained.log.of(0).back().end_s == about(8));
  CHECK(free.trained.log.of(3).back().end_s == about(16));
  CHECK(free.participation.max_lead_iterations() == 4);

  const PartialRun limited = train({.limiter = 3}, workload, setup);
  for (Rank rank = 0; rank < 4; ++rank) {
    // Iterations 3 and 7 wait for the slow worker.
    CHECK(limited.trained.log.of(rank)[3].end_s == about(8));
    CHECK(limited.trained.log.of(rank)[7].end_s == about(16));
  }
  CHECK(limited.participation.active_workers_histogram().back() == 2);
}

TEST_CASE("models of eager-SGD agree after a model synchronization, which does not change their mean") {
  const Workload workload = workload_of({{{3}, 0.1, 0.2}, {{2, 1}, 0.1, 0.3}});
  const auto replica = [&](Rank rank) {
    return Replica(workload, std::vector<float>(6, 0.0F), {.learning_rate = 0.1},
                   [rank](std::int64_t iteration, std::span<const float>, std::span<float> gradients) {
                     for (std::size_t i = 0; i < gradients.size(); ++i) {
                       gradients[i] =
                           std::sin(static_cast<float>(rank + 3 * iteration) + static_cast<float>(i));
                     }
                   });
  };
  TrainingSetup setup{.cluster = free_network(8),
                      .iterations = 6,
                      .load = independent_delays(0.5, 0.8, 1),
                      .replica = replica};
  const PartialRun apart = train(eager_solo, workload, setup);
  const PartialRun together = train({.model_sync_iterations = 6}, workload, setup);
  CHECK(apart.trained.parameters.front() != apart.trained.parameters.back());
  for (std::size_t i = 0; i < 6; ++i) {
    double mean = 0;
    for (const auto& parameters : apart.trained.parameters) mean += parameters[i] / 8.0;
    for (const auto& parameters : together.trained.parameters) {
      CHECK(parameters[i] == together.trained.parameters.front()[i]);
      CHECK(parameters[i] == about(mean, 1e-6));  // single precision
    }
  }
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

/// Mean and standard deviation of the least of P binomial numbers of `trials` trials.
Moments least_of(int workers, int trials, double probability) {
  const boost::math::binomial_distribution<> number(trials, probability);
  double mean = 0;    // Σ P(all > k)
  double square = 0;  // Σ (2k+1)·P(all > k)
  for (int k = 0; k < trials; ++k) {
    const double all_more = std::pow(boost::math::cdf(complement(number, k)), workers);
    mean += all_more;
    square += (2 * k + 1) * all_more;
  }
  return {mean, std::sqrt(square - mean * mean)};
}

// 64 workers of 0.6154 s, of which each is delayed by 300 ms with the probability of being one of 4.
constexpr int published_workers = 64;
constexpr double published_base_s = 0.6154;
constexpr double published_delay_s = 0.3;
constexpr double published_probability = 4.0 / published_workers;

TEST_CASE("without cost of communication each worker of eager-SGD solo takes its own compute time") {
  constexpr int iterations = 500;
  const TrainingSetup setup{.cluster = free_network(published_workers),
                            .iterations = iterations,
                            .load = independent_delays(published_probability, published_delay_s, 5)};
  const PartialRun run = train(eager_solo, single_tensor(100, published_base_s), setup);
  double fastest_s = std::numeric_limits<double>::infinity();
  double mean_s = 0;
  for (Rank rank = 0; rank < published_workers; ++rank) {
    double own_s = 0;
    for (std::int64_t i = 0; i < iterations; ++i) own_s += published_base_s + setup.load(rank, i).delay_s;
    const double end_s = run.trained.log.of(rank).back().end_s;
    CHECK(end_s == about(own_s, 1e-6));
    fastest_s = std::min(fastest_s, end_s / iterations);
    mean_s += end_s / iterations / published_workers;
  }
  // All draws are independent: the mean over workers is 0.634 s as published, within 3.3 deviations (99.9 %).
  const double deviation_s =
      published_delay_s *
      std::sqrt(published_probability * (1 - published_probability) / (published_workers * iterations));
  CHECK(std::abs(mean_s - 0.634) < 3.3 * deviation_s + 0.0005);  // and the rounding of what is printed
  // Operations run at the pace of the worker that has met the fewest delays: 0.627 s.
  const Moments least = least_of(published_workers, iterations, published_probability);
  const double expected_s = published_base_s + least.mean * published_delay_s / iterations;
  CHECK(std::abs(fastest_s - expected_s) < 3.3 * least.deviation * published_delay_s / iterations);
}

TEST_CASE(
    "without cost of communication the limiter of eager-SGD makes a period take its slowest worker's time") {
  const TrainingSetup setup{.cluster = free_network(published_workers),
                            .iterations = 33 * 10,
                            .load = independent_delays(published_probability, published_delay_s, 5)};
  // Every 33rd execution waits for the worker with the most delays, as in the published code, which gave
  // 0.670 s.
  const PartialRun limited = train({.limiter = 32}, single_tensor(100, published_base_s), setup);
  CHECK(limited.mean_iteration_s() == about(periods_of_slowest_s(setup, published_base_s, 33), 1e-6));
  // A period's longest sum of delays deviates by about 0.8 delays: 0.25 s in 22 s, in ten periods 0.4 %.
  CHECK(limited.mean_iteration_s() == about(0.670, 3.3 * 0.004));
}

TEST_CASE("times of eager-SGD do not depend on whether data is real") {
  const Workload workload = workload_of({{{3}, 0.1, 0.2}, {{2, 1}, 0.1, 0.3}});
  for (const EagerOptions& options :
       {eager_solo, eager_majority, EagerOptions{.limiter = 2, .serialized = false},
        EagerOptions{.model_sync_iterations = 2, .bucket_bytes = 12}}) {
    TrainingSetup setup{
        .cluster = {8, 1e-3, 1e4, 1e-4}, .iterations = 6, .load = independent_delays(0.3, 0.8, 2)};
    const PartialRun sized = train(options, workload, setup);
    setup.replica = [&](Rank) {
      return Replica(workload, std::vector<float>(6, 0.0F), {.learning_rate = 0.1});
    };
    const PartialRun real = train(options, workload, setup);
    CHECK(real.trained.statistics.makespan_s == sized.trained.statistics.makespan_s);
    CHECK(real.trained.statistics.messages == sized.trained.statistics.messages);
    CHECK(real.participation.active_workers_histogram() == sized.participation.active_workers_histogram());
  }
}

}  // namespace
}  // namespace starling
