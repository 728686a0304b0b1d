#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "sim/random.hpp"
#include "tests/rounding.hpp"
#include "training_fixture.hpp"

namespace starling {
namespace {

const Workload odd_model = odd_workload();
constexpr double odd_rate = 0.05;
constexpr std::int64_t odd_iterations = 5;

/// A gradient that depends on the parameters, so that an update made late or twice changes the result.
float gradient(Rank rank, std::int64_t iteration, std::size_t element, float parameter) {
  return 0.3F * parameter + std::sin(static_cast<float>(rank + 1) * static_cast<float>(element + 3) +
                                     static_cast<float>(iteration));
}

std::vector<float> initial_parameters() {
  std::vector<float> parameters(static_cast<std::size_t>(odd_model.parameters()));
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = std::cos(static_cast<float>(i));
  return parameters;
}

Replica real_replica(Rank rank) {
  return Replica(
      odd_model, initial_parameters(), {.learning_rate = odd_rate},
      [rank](std::int64_t iteration, std::span<const float> parameters, std::span<float> gradients) {
        for (std::size_t i = 0; i < gradients.size(); ++i) {
          gradients[i] = gradient(rank, iteration, i, parameters[i]);
        }
      });
}

/// The parameters after one worker has descended along the mean of all workers' gradients.
std::vector<double> serial_parameters(int workers) {
  const std::vector<float> start = initial_parameters();
  std::vector<double> parameters(start.begin(), start.end());
  for (std::int64_t iteration = 0; iteration < odd_iterations; ++iteration) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      double sum = 0;
      for (Rank rank = 0; rank < workers; ++rank) {
        sum += gradient(rank, iteration, i, static_cast<float>(parameters[i]));
      }
      parameters[i] -= odd_rate * sum / workers;
    }
  }
  return parameters;
}

/// Delays and speeds that change from worker to worker and iteration to iteration.
Load uneven_load(Rank rank, std::int64_t iteration) {
  const CounterRandom random(1, Purpose::imbalance);
  const auto worker = static_cast<std::uint32_t>(rank);
  const auto step = static_cast<std::uint64_t>(iteration);
  return {.delay_s = 0.01 * random.uniform(worker, step, 0),
          .factor = 0.5 + 2 * random.uniform(worker, step, 1)};
}

const std::vector<TrainingOptions> every_variant = {
    AllreduceOptions{},
    AllreduceOptions{.collective = "auto"},
    WfbpOptions{},
    WfbpOptions{.collective = "recursive_doubling"},
    WfbpOptions{.collective = "double_tree"},
    DdpOptions{.bucket_bytes = 100, .first_bucket_bytes = 20},
    DdpOptions{.collective = "halving_doubling"},
    HorovodOptions{.cycle_time_s = 1e-3},
    HorovodOptions{.cycle_time_s = 1e-2, .fusion_bytes = 60},
    HorovodOptions{.cycle_time_s = 1e-4, .fusion_bytes = 0},
    HorovodOptions{.sparse_tensors = {"tensor"}},
    MgWfbpOptions{},
    ByteSchedulerOptions{},
    ByteSchedulerOptions{.partition_bytes = 12, .credit_bytes = 24},
    ByteSchedulerOptions{.partition_bytes = 12, .credit_bytes = 100, .streams = 3},
    DearOptions{},
    DearOptions{.bucket_bytes = 0},
    DearOptions{.bucket_bytes = 60, .prefetch_depth = 2},
    DearOptions{.bucket_bytes = 0, .launch_ahead = false},
    DearOptions{.bucket_bytes = 0, .prefetch_depth = 2, .launch_ahead = false},
    DearOptions{.bucket_bytes = 0, .sync_each_iteration = true},
    DearOptions{.collective = "auto", .bucket_bytes = 60},
};

TEST_CASE(
    "all workers of a synchronous algorithm end with the same bits, which are those of serial descent within "
    "rounding") {
  for (const int workers : {1, 2, 3, 4, 8}) {
    const std::vector<double> expected = serial_parameters(workers);
    for (const TrainingOptions& options : every_variant) {
      const Trained trained = train(options, odd_model,
                                    {.cluster = {workers, 1e-5, 1e6, 1e-9},
                                     .iterations = odd_iterations,
                                     .load = uneven_load,
                                     .replica = real_replica});
      CAPTURE(workers);
      CAPTURE(options.kind());
      const std::vector<float>& first = trained.parameters.front();
      for (const auto& parameters : trained.parameters) CHECK(parameters == first);
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = greater_error(worst, std::abs(first[i] - expected[i]));
      // Five steps of single-precision sums of up to eight numbers around 1, times a rate of 0.05, each with
      // a few roundings of up to 6e-8.
      CHECK(worst < 1e-6);
    }
  }
}

TEST_CASE("times of every synchronous algorithm do not depend on whether data is real") {
  for (const TrainingOptions& options : every_variant) {
    const TrainingSetup sized{.cluster = {4, 1e-5, 1e6, 1e-9}, .iterations = 3, .load = uneven_load};
    TrainingSetup real = sized;
    real.replica = real_replica;
    const Trained one = train(options, odd_model, sized);
    const Trained other = train(options, odd_model, real);
    CAPTURE(options.kind());
    CHECK(one.statistics.makespan_s == other.statistics.makespan_s);
    CHECK(one.statistics.messages == other.statistics.messages);
    CHECK(one.end_s(2) == other.end_s(2));
  }
}

TEST_CASE("the logged parts of an iteration sum to its length under every synchronous algorithm") {
  for (const TrainingOptions& options : every_variant) {
    const Trained trained =
        train(options, odd_model, {.cluster = {3, 1e-5, 1e6, 1e-9}, .iterations = 4, .load = uneven_load});
    CAPTURE(options.kind());
    check_accounts(trained.log, 3, 4);
  }
}

TEST_CASE("logged compute times and delays are those of the load, whatever the algorithm") {
  for (const TrainingOptions& options : every_variant) {
    const Trained trained =
        train(options, odd_model, {.cluster = {2, 1e-5, 1e6, 0}, .iterations = 3, .load = uneven_load});
    CAPTURE(options.kind());
    for (Rank rank = 0; rank < 2; ++rank) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const Load load = uneven_load(rank, i);
        const IterationRecord& record = trained.log.of(rank)[static_cast<std::size_t>(i)];
        // Parts of milliseconds are differences of times up to a second, which loses a few digits.
        CHECK(record.delay_s == about(load.delay_s, rounding_of_sums));
        CHECK(record.forward_s == about(load.factor * odd_model.forward_total_s(), rounding_of_sums));
        CHECK(record.backward_s == about(load.factor * odd_model.backward_total_s(), rounding_of_sums));
      }
    }
  }
}

TEST_CASE("gradient accumulation takes the time of a longer last layer in the forward pass") {
  constexpr int steps = 3;
  Workload accumulating = odd_model;
  accumulating.accumulation_steps = steps;
  Workload longer = odd_model;
  longer.forward_s.back() += (steps - 1) * odd_model.compute_total_s();
  for (const TrainingOptions& options : every_variant) {
    const TrainingSetup setup{.cluster = {4, 1e-5, 1e6, 1e-9}, .iterations = 3, .load = uneven_load};
    const Trained trained = train(options, accumulating, setup);
    const Trained expected = train(options, longer, setup);
    CAPTURE(options.kind());
    CHECK(trained.statistics.messages == expected.statistics.messages);
    for (Rank rank = 0; rank < 4; ++rank) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const IterationRecord& record = trained.log.of(rank)[static_cast<std::size_t>(i)];
        const double factor = uneven_load(rank, i).factor;
        CHECK(record.end_s ==
              about(expected.log.of(rank)[static_cast<std::size_t>(i)].end_s, rounding_of_sums));
        CHECK(record.forward_s == about(factor * steps * odd_model.forward_total_s(), rounding_of_sums));
        CHECK(record.backward_s == about(factor * steps * odd_model.backward_total_s(), rounding_of_sums));
      }
    }
  }
}

TEST_CASE("communication stretches computing at most by the slowdown, and does not stretch delays") {
  constexpr double slowdown = 0.5;
  Workload slowed = odd_model;
  slowed.communication_slowdown = slowdown;
  for (const TrainingOptions& options : every_variant) {
    const TrainingSetup setup{.cluster = {4, 1e-5, 1e6, 1e-9}, .iterations = 3, .load = uneven_load};
    const Trained trained = train(options, slowed, setup);
    CAPTURE(options.kind());
    CHECK(trained.statistics.makespan_s == train(options, slowed, setup).statistics.makespan_s);
    CHECK(trained.statistics.makespan_s >=
          train(options, odd_model, setup).statistics.makespan_s * (1 - rounding_of_sums));
    for (Rank rank = 0; rank < 4; ++rank) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const Load load = uneven_load(rank, i);
        const IterationRecord& record = trained.log.of(rank)[static_cast<std::size_t>(i)];
        const double undisturbed_s = load.factor * odd_model.compute_total_s();
        const double computed_s = record.forward_s + record.backward_s;
        CHECK(record.delay_s == about(load.delay_s, rounding_of_sums));
        CHECK(computed_s >= undisturbed_s * (1 - rounding_of_sums));
        CHECK(computed_s <= undisturbed_s * (1 + slowdown) * (1 + rounding_of_sums));
      }
    }
  }
}

TEST_CASE("a second run of the same job gives the same times to the last bit") {
  for (const TrainingOptions& options : every_variant) {
    const TrainingSetup setup{.cluster = {5, 1e-5, 1e6, 1e-9}, .iterations = 3, .load = uneven_load};
    CAPTURE(options.kind());
    CHECK(train(options, odd_model, setup).statistics.makespan_s ==
          train(options, odd_model, setup).statistics.makespan_s);
  }
}

TEST_CASE("an exception in the middle of an iteration ends the run with it") {
  const auto load = [](Rank rank, std::int64_t iteration) {
    if (rank == 1 && iteration == 1) throw std::runtime_error("the power fails");
    return Load{};
  };
  for (const TrainingOptions& options : every_variant) {
    CAPTURE(options.kind());
    CHECK_THROWS_WITH_AS(
        train(options, odd_model, {.cluster = {3, 1e-5, 1e6, 1e-9}, .iterations = 3, .load = load}),
        "the power fails", std::runtime_error);
  }
}

TEST_CASE("a single worker exchanges nothing") {
  for (const TrainingOptions& options : every_variant) {
    const Trained trained = train(options, odd_model, {.cluster = {.workers = 1}, .iterations = 2});
    CAPTURE(options.kind());
    CHECK(trained.statistics.messages == 0);
  }
}

}  // namespace
}  // namespace starling
