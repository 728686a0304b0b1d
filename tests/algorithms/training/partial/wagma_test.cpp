#include "algorithms/training/partial/wagma.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "partial_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

const Workload small_model = workload_of({{{3}, 0.1, 0.2}, {{}, 0.05, 0.1}, {{2, 1}, 0.1, 0.3}}, 1e-4);
constexpr double small_rate = 0.1;

float small_gradient(Rank rank, std::int64_t iteration, std::size_t element, float parameter) {
  return 0.3F * parameter +
         std::sin(static_cast<float>(rank + 3 * iteration) + static_cast<float>(element * element));
}

Replica small_replica(Rank rank) {
  std::vector<float> start = {1, 2, 3, 4, 5, 6};
  return Replica(
      small_model, start, {.learning_rate = small_rate},
      [rank](std::int64_t iteration, std::span<const float> parameters, std::span<float> gradients) {
        for (std::size_t i = 0; i < gradients.size(); ++i) {
          gradients[i] = small_gradient(rank, iteration, i, parameters[i]);
        }
      });
}

/// The models of local SGD: every worker takes its own steps, and models are averaged in every `period`-th
/// iteration.
std::vector<std::vector<float>> local_steps(int workers, std::int64_t iterations, std::int64_t period) {
  std::vector<std::vector<float>> models(static_cast<std::size_t>(workers));
  run_on(free_network(workers), [&](Worker& worker) {
    Replica replica = small_replica(worker.rank());
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      replica.compute_gradients(iteration);
      replica.update(replica.all());
      if ((iteration + 1) % period != 0) continue;
      allreduce(worker, replica.parameters(), 1, CollectiveKind::recursive_doubling);
      for (float& parameter : replica.parameters().data()) parameter /= static_cast<float>(workers);
    }
    const auto data = replica.parameters().data();
    models[static_cast<std::size_t>(worker.rank())].assign(data.begin(), data.end());
  });
  return models;
}

std::string wagma_complaint(const WagmaOptions& options, int workers) {
  try {
    make_training_algorithm(options, small_model, {.workers = workers});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("WAGMA refuses options out of their range and names what it accepts") {
  CHECK(wagma_complaint({}, 12) == "wagma: workers is 12; it must be a power of two");
  CHECK(wagma_complaint({.group_size = 3}, 8) ==
        "wagma: group_size is 3; it must be a power of two from 1 to 8, or \"sqrt\" for √P");
  CHECK(wagma_complaint({.group_size = 16}, 8) ==
        "wagma: group_size is 16; it must be a power of two from 1 to 8, or \"sqrt\" for √P");
  CHECK(wagma_complaint({.sync_period = 0}, 8) == "wagma: sync_period is 0; it must be at least 1");
  CHECK(wagma_complaint({.bucket_bytes = -1}, 8) == "wagma: bucket_bytes is -1; it must be from 0 to 1e+18");
  CHECK(wagma_complaint({.group_size = 8, .sync_period = 1}, 8).empty());
}

TEST_CASE("WAGMA's groups have √P members by default, rounded up to a power of two") {
  const auto size = [](int workers, std::optional<int> asked) {
    const CollectiveChoice collective("wagma", "ring", {.workers = workers}, 4);
    return Wagma({.group_size = asked}, small_model, collective).group_size();
  };
  CHECK(size(1, {}) == 1);
  CHECK(size(2, {}) == 2);
  CHECK(size(4, {}) == 2);
  CHECK(size(8, {}) == 4);
  CHECK(size(64, {}) == 8);
  CHECK(size(64, 4) == 4);
}

TEST_CASE("WAGMA with groups of all workers is an all-reduce of models, bit for bit") {
  for (const int workers : {1, 2, 8}) {
    const auto expected = local_steps(workers, 5, 1);
    for (const std::int64_t period : {1, 100}) {
      // Without imbalance a group of all is the same sum, whoever starts it.
      const PartialRun run =
          train(WagmaOptions{.group_size = workers, .sync_period = period}, small_model,
                {.cluster = free_network(workers), .iterations = 5, .load = {}, .replica = small_replica});
      CAPTURE(workers);
      CHECK(run.trained.parameters == expected);
    }
    const PartialRun uneven = train(WagmaOptions{.group_size = workers, .sync_period = 1}, small_model,
                                    {.cluster = {workers, 1e-3, 1e4, 0},
                                     .iterations = 5,
                                     .load = independent_delays(0.4, 1, 1),
                                     .replica = small_replica});
    CHECK(uneven.trained.parameters == expected);
  }
}

TEST_CASE("without a group collective WAGMA is local SGD, whatever the imbalance") {
  const auto expected = local_steps(8, 7, 3);
  const PartialRun run = train(WagmaOptions{.group_size = 1, .sync_period = 3}, small_model,
                               {.cluster = free_network(8),
                                .iterations = 7,
                                .load = independent_delays(0.4, 1, 1),
                                .replica = small_replica});
  CHECK(run.trained.parameters == expected);
}

TEST_CASE(
    "WAGMA with groups of one counts only averages of all models as operations, and only they cost calls") {
  constexpr double call_s = 0.01;
  constexpr int workers = 4;
  const auto trained = [&](std::int64_t iterations, bool is_serialized) {
    return train(WagmaOptions{.group_size = 1,
                              .sync_period = 3,
                              .bucket_bytes = 0,
                              .serialized = is_serialized,
                              .operation_cost_s = call_s},
                 small_model, {.cluster = free_network(workers), .iterations = iterations});
  };
  const double iteration_s = small_model.forward_total_s() + small_model.backward_total_s() +
                             6 * Buffer::bytes_per_float * small_model.optimizer_s_per_byte;
  for (const bool is_serialized : {true, false}) {
    const PartialRun none = trained(2, is_serialized);
    CHECK(none.participation.operations() == 0);
    CHECK(none.trained.end_s(1) == about(2 * iteration_s));
    const PartialRun two = trained(7, is_serialized);
    const std::int64_t operations = 2 * 3;  // of three tensors
    CHECK(two.participation.operations() == operations);
    CHECK(two.participation.fresh_contributions() == workers * operations);
    CHECK(two.participation.active_workers_histogram().back() == operations);
    CHECK(two.trained.end_s(6) == about(7 * iteration_s + static_cast<double>(operations) * call_s));
  }
}

/// The ranks whose models each rank's model holds something of, after so many iterations without imbalance:
/// rank i's model begins as the i-th unit vector.
std::vector<std::vector<Rank>> passed_models(const WagmaOptions& options, int workers,
                                             std::int64_t iterations) {
  const Workload units = single_tensor(workers, 1);
  const auto replica = [&](Rank rank) {
    std::vector<float> unit(static_cast<std::size_t>(workers));
    unit[static_cast<std::size_t>(rank)] = 1;
    return Replica(units, unit, {.learning_rate = 1.0});
  };
  const PartialRun run =
      train(options, units,
            {.cluster = free_network(workers), .iterations = iterations, .load = {}, .replica = replica});
  std::vector<std::vector<Rank>> passed;
  for (const auto& model : run.trained.parameters) {
    std::vector<Rank>& sources = passed.emplace_back();
    for (Rank source = 0; source < workers; ++source) {
      if (model[static_cast<std::size_t>(source)] > 0) sources.push_back(source);
    }
  }
  return passed;
}

TEST_CASE(
    "WAGMA's models pass within the groups of the paper's example, and on to those of the next iteration") {
  const WagmaOptions fours{.group_size = 4, .sync_period = 100};
  const auto first = passed_models(fours, 8, 1);
  CHECK(first[1] == std::vector<Rank>{0, 1, 2, 3});
  CHECK(first[6] == std::vector<Rank>{4, 5, 6, 7});
  // With pairs, p exchanges with p^1, then with p^2, then with p^4: after two iterations models have passed
  // among four ranks, after three among eight.
  const WagmaOptions pairs{.group_size = 2, .sync_period = 100};
  CHECK(passed_models(pairs, 8, 1)[5] == std::vector<Rank>{4, 5});
  CHECK(passed_models(pairs, 8, 2)[5] == std::vector<Rank>{4, 5, 6, 7});
  CHECK(passed_models(pairs, 8, 3)[5] == std::vector<Rank>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("in WAGMA every rank's model reaches all ranks within ⌈log_S P⌉ iterations") {
  for (const auto& [workers, group_size] :
       std::vector<std::pair<int, int>>{{8, 4}, {16, 4}, {32, 4}, {64, 8}, {8, 2}, {16, 8}, {4, 4}}) {
    const WagmaOptions options{.group_size = group_size, .sync_period = 100};
    const auto iterations = static_cast<std::int64_t>(std::ceil(std::log2(workers) / std::log2(group_size)));
    const auto reach = [&](std::int64_t count) {
      std::vector<std::size_t> models;
      for (const auto& passed : passed_models(options, workers, count)) models.push_back(passed.size());
      return models;
    };
    CAPTURE(workers);
    CAPTURE(group_size);
    CHECK(std::ranges::count(reach(iterations), static_cast<std::size_t>(workers)) == workers);
    CHECK(std::ranges::count(reach(1), static_cast<std::size_t>(group_size)) == workers);
  }
}

TEST_CASE("with fixed groups WAGMA's models never reach other groups") {
  const Workload one = single_tensor(1, 1);
  const auto replica = [&](Rank rank) {
    return Replica(one, {rank == 5 ? 1.0F : 0.0F}, {.learning_rate = 1.0});
  };
  const PartialRun run = train(WagmaOptions{.group_size = 4, .sync_period = 100, .fixed_groups = true}, one,
                               {.cluster = free_network(8), .iterations = 6, .load = {}, .replica = replica});
  for (Rank rank = 0; rank < 8; ++rank) {
    CHECK((run.trained.parameters[static_cast<std::size_t>(rank)].front() > 0) == (rank >= 4));
  }
}

TEST_CASE("a late worker of WAGMA averages its model with the sum of a group that used its stale model") {
  // Two workers, models 0 and 8 at first, gradients −1 and −2, rate 1. Worker 1 comes at 1.5 s, when version
  // 0 has run with its initial model: worker 0 has (1 + 8)/2 = 4.5, worker 1 ((1 + 8) + 10)/3 = 19/3. Version
  // 1 runs at 2 s with worker 1's stale 10: (5.5 + 10)/2 = 7.75; worker 1 makes (15.5 + 25/3)/3.
  const Workload one = single_tensor(1, 1);
  const auto replica = [&](Rank rank) {
    return Replica(one, {rank == 0 ? 0.0F : 8.0F}, {.learning_rate = 1.0},
                   [rank](std::int64_t, std::span<const float>, std::span<float> gradients) {
                     gradients[0] = rank == 0 ? -1.0F : -2.0F;
                   });
  };
  const PartialRun run =
      train(WagmaOptions{.group_size = 2, .sync_period = 100}, one,
            {.cluster = free_network(2),
             .iterations = 2,
             .load =
                 [](Rank rank, std::int64_t iteration) {
                   return Load{.delay_s = rank == 1 && iteration == 0 ? 0.5 : 0, .factor = 1};
                 },
             .replica = replica});
  CHECK(run.trained.parameters[0].front() == 7.75F);
  CHECK(run.trained.parameters[1].front() == about((15.5 + 25.0 / 3) / 3, 1e-6));
  CHECK(run.participation.fresh_contributions() == 2);
  CHECK(run.participation.stale_contributions() == 2);
}

TEST_CASE("the released program of WAGMA counts the own model twice, and steps after the average") {
  // Two workers that are alike, models 0 and 8 at first, gradients −1 and −2, rate 1: the group's average is
  // (8 + 0)/3 and (8 + 8)/3; then each takes its step. The second iteration is the synchronous one.
  const Workload one = single_tensor(1, 1);
  const auto replica = [&](Rank rank) {
    return Replica(one, {rank == 0 ? 0.0F : 8.0F}, {.learning_rate = 1.0},
                   [rank](std::int64_t, std::span<const float>, std::span<float> gradients) {
                     gradients[0] = rank == 0 ? -1.0F : -2.0F;
                   });
  };
  const auto models = [&](std::int64_t iterations) {
    return train(WagmaOptions{.group_size = 2, .sync_period = 2, .published_code = true}, one,
                 {.cluster = free_network(2), .iterations = iterations, .load = {}, .replica = replica})
        .trained.parameters;
  };
  // A few roundings of single precision.
  constexpr double tolerance = 1e-6;
  CHECK(models(1)[0].front() == about(8.0 / 3 + 1, tolerance));
  CHECK(models(1)[1].front() == about(16.0 / 3 + 2, tolerance));
  const double mean = (8.0 / 3 + 1 + 16.0 / 3 + 2) / 2;
  CHECK(models(2)[0].front() == about(mean + 1, tolerance));
  CHECK(models(2)[1].front() == about(mean + 2, tolerance));
}

TEST_CASE("groups of WAGMA's released program do not wrap around, which makes no difference where S^k = P") {
  const auto options = [](int group_size, bool published_code) {
    return WagmaOptions{.group_size = group_size, .sync_period = 100, .published_code = published_code};
  };
  for (std::int64_t iterations = 1; iterations <= 4; ++iterations) {
    CHECK(passed_models(options(4, true), 16, iterations) ==
          passed_models(options(4, false), 16, iterations));
    // ⌊3/2⌋ = 1: the third dimension is never used, and the fifth of 32 ranks neither.
    CHECK(passed_models(options(4, true), 8, iterations)[6] == std::vector<Rank>{4, 5, 6, 7});
    CHECK(passed_models(options(4, true), 32, iterations)[0].size() == (iterations == 1 ? 4 : 16));
  }
}

TEST_CASE("WAGMA's staleness stays below the synchronization period") {
  for (const std::int64_t period : {1, 2, 4, 10}) {
    const auto load = [](Rank rank, std::int64_t) {
      return Load{.delay_s = rank == 3 ? 50.0 : 0, .factor = 1};
    };
    const PartialRun run = train(WagmaOptions{.sync_period = period, .bucket_bytes = 0}, small_model,
                                 {.cluster = {8, 1e-3, 1e4, 0}, .iterations = 21, .load = load});
    CAPTURE(period);
    CHECK(run.participation.max_staleness_iterations() < period);
    CHECK(run.participation.operations() == 3 * 21);
    CHECK(run.participation.max_lead_iterations() <= period);
  }
}

TEST_CASE("without cost of communication a period of WAGMA takes its slowest worker's time") {
  // 0.6154 s, delays of 320 ms with p = 1 − (1 − 1/P)², a synchronous average in every 11th iteration.
  constexpr double base_s = 0.6154;
  constexpr double delay_s = 0.32;
  struct Bound {
    int workers;
    double synchronous_s;
    double wagma_s;
  };
  const Workload small = single_tensor(100, base_s);
  for (const Bound& bound :
       {Bound{4, 0.905, 0.806}, Bound{16, 0.895, 0.718}, Bound{64, 0.893, 0.680}, Bound{256, 0.894, 0.660}}) {
    const double probability = 1 - std::pow(1 - 1.0 / bound.workers, 2);
    const TrainingSetup setup{.cluster = free_network(bound.workers),
                              .iterations = 11 * 20,
                              .load = independent_delays(probability, delay_s, 3)};
    CAPTURE(bound.workers);
    // What the run takes is exactly what its delays allow …
    const PartialRun wagma = train(WagmaOptions{.sync_period = 11}, small, setup);
    CHECK(wagma.mean_iteration_s() == about(periods_of_slowest_s(setup, base_s, 11), 1e-6));
    const PartialRun synchronous = train(WagmaOptions{.sync_period = 1}, small, setup);
    CHECK(synchronous.mean_iteration_s() == about(periods_of_slowest_s(setup, base_s, 1), 1e-6));
    // … and that is on average the published bound, which was drawn, too: within 0.5 %.
    CHECK(expected_periods_s(bound.workers, probability, delay_s, base_s, 11) == about(bound.wagma_s, 0.005));
    CHECK(expected_periods_s(bound.workers, probability, delay_s, base_s, 1) ==
          about(bound.synchronous_s, 0.005));
  }
}

TEST_CASE("equal workers of WAGMA take the time of the recursion over buckets") {
  // ready(b) is after the bucket's update; C(b) = max(ready(b), C(b−1)) + T(b). In the released program
  // ready(b) is before any update, and all updates come after the last C.
  constexpr std::int64_t iterations = 6;
  const Workload large = workload_of({{{300'000}, 0.001, 0.002}, {{200'000, 50'000}, 0.002, 0.003}}, 1e-10);
  const StarCluster cluster{16, 1e-4, 1e9, 1e-11};
  const double all_updates_s = 4 * 550'000 * large.optimizer_s_per_byte;
  for (const auto& [group_size, published_code] :
       std::vector<std::pair<int, bool>>{{2, false}, {4, false}, {16, false}, {2, true}, {4, true}}) {
    double end_s = 0;
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      const int members = (iteration + 1) % 3 == 0 ? cluster.workers : group_size;
      double ready_s = end_s + large.forward_total_s();
      for (const auto& [elements, backward_s] : {std::pair{250'000.0, 0.003}, std::pair{300'000.0, 0.002}}) {
        ready_s += backward_s + (published_code ? 0 : 4 * elements * large.optimizer_s_per_byte);
        end_s = std::max(ready_s, end_s) +
                cost::butterfly_group_allreduce(members, 4 * elements, cluster.facts().costs);
      }
      if (published_code) end_s += all_updates_s;
    }
    const WagmaOptions options{
        .group_size = group_size, .sync_period = 3, .published_code = published_code, .bucket_bytes = 9e5};
    const PartialRun run = train(options, large, {.cluster = cluster, .iterations = iterations});
    CAPTURE(group_size);
    CAPTURE(published_code);
    // WAGMA also sends activations of 4 bytes each beside a megabyte of data: below 0.1 %.
    CHECK(run.trained.end_s(iterations - 1) == about(end_s, 1e-3));
  }
}

TEST_CASE("times of WAGMA do not depend on whether data is real") {
  for (const WagmaOptions& options :
       {WagmaOptions{.sync_period = 3},
        WagmaOptions{.group_size = 2, .bucket_bytes = 0, .serialized = false}}) {
    TrainingSetup setup{
        .cluster = {8, 1e-3, 1e4, 1e-4}, .iterations = 6, .load = independent_delays(0.3, 0.8, 2)};
    const PartialRun sized = train(options, small_model, setup);
    setup.replica = small_replica;
    const PartialRun real = train(options, small_model, setup);
    CHECK(real.trained.statistics.makespan_s == sized.trained.statistics.makespan_s);
    CHECK(real.trained.statistics.messages == sized.trained.statistics.messages);
  }
}

}  // namespace
}  // namespace starling
