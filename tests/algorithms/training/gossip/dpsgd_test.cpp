#include "algorithms/training/gossip/dpsgd.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "gossip_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

std::unique_ptr<TrainingAlgorithm> dpsgd(std::shared_ptr<const MixingSchedule> mixing, bool overlap = false) {
  return std::make_unique<Dpsgd>(DpsgdOptions{.overlap = overlap}, std::move(mixing));
}

TEST_CASE("D-PSGD mixes a model with its neighbors' and moves it by the gradient at the unmixed model") {
  const Workload workload = one_layer(13, 0.001, 0.002, 1e-6);
  const std::vector<std::shared_ptr<const MixingSchedule>> schedules = {
      ring_of(3), ring_of(8), std::make_shared<Circulant>(5, std::vector<std::vector<int>>{{1, 2, 3, 4}}),
      std::make_shared<Circulant>(6, std::vector<std::vector<int>>{{1}, {2}, {4}})};
  for (const auto& mixing : schedules) {
    const auto expected = mix_and_step(workload, *mixing, 7, 0.1);
    for (const bool overlap : {false, true}) {
      const Trained trained =
          run_algorithm(*dpsgd(mixing, overlap), workload,
                        {.cluster = {mixing->ranks(), 1e-4, 1e6, 1e-8},
                         .iterations = 7,
                         .load = random_load(3),
                         .replica = [&](Rank rank) { return different_replica(workload, rank, 0.1); }});
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t e = 0; e < expected[i].size(); ++e)
          worst = greater_error(worst, std::abs(expected[i][e] - trained.parameters[i][e]));
      }
      // Seven steps of single-precision sums of up to five numbers around 1.
      CHECK(worst < 2e-6);
    }
  }
}

TEST_CASE("D-PSGD with doubly stochastic averaging keeps the mean of all models") {
  const Workload workload = one_layer(50, 0.001, 0.002);
  for (const int workers : {3, 4, 9, 16}) {
    const auto replica = [&](Rank rank) { return different_replica(workload, rank, 0); };
    const TrainingSetup setup{.cluster = {workers, 1e-4, 1e6, 1e-8}, .replica = replica};
    TrainingSetup longer = setup;
    longer.iterations = 100;
    const Trained once = run_algorithm(*dpsgd(ring_of(workers)), workload, setup);
    const Trained trained = run_algorithm(*dpsgd(ring_of(workers)), workload, longer);
    const std::vector<double> before = mean_of(once.parameters);
    const std::vector<double> after = mean_of(trained.parameters);
    // 99 single-precision sums of numbers up to 2, each with a rounding of up to 1.2e-7 either way.
    for (std::size_t e = 0; e < before.size(); ++e) CHECK(std::abs(after[e] - before[e]) < 1e-6);
    // Differences between models shrink by the second eigenvalue, at most 0.95, in each iteration. Three
    // roundings of up to 1.2e-7 of each of 50 elements are added in each and fade within 1/(1 − 0.95) = 20
    // iterations: √50·3·20·1.2e-7 = 5.1e-5.
    const double second = (1 + 2 * std::cos(2 * std::numbers::pi / workers)) / 3;
    const double distance = std::pow(second, 99) * consensus_distance(once.parameters);
    CHECK(consensus_distance(trained.parameters) < distance + 6e-5);
  }
}

TEST_CASE(
    "an iteration of D-PSGD takes the time of its messages and sums, added to or overlapped with computing") {
  const Workload workload = one_layer(25'000, 0.004, 0.006, 1e-8);
  const double update_s = 1e5 * 1e-8;
  for (const double gamma : {0.0, 1e-9, 1e-7}) {
    for (const int degree : {1, 2, 4}) {
      for (const double bandwidth_Bps : {1e7, 1e9}) {
        const StarCluster cluster{9, 2e-4, bandwidth_Bps, gamma};
        std::vector<int> distances;
        for (int distance = 1; distance <= degree; ++distance) distances.push_back(2 * distance);
        const auto mixing = std::make_shared<Circulant>(9, std::vector<std::vector<int>>{distances});
        const double beta = 1 / bandwidth_Bps;
        const double averaging_s =
            2e-4 + 1e5 * beta + 1e5 * gamma + (degree - 1) * 1e5 * std::max(beta, gamma);
        const Trained serial_run =
            run_algorithm(*dpsgd(mixing), workload, {.cluster = cluster, .iterations = 3});
        const Trained overlapped =
            run_algorithm(*dpsgd(mixing, true), workload, {.cluster = cluster, .iterations = 3});
        CAPTURE(degree);
        CAPTURE(bandwidth_Bps);
        CAPTURE(gamma);
        for (int i = 0; i < 3; ++i) {
          CHECK(serial_run.end_s(i) == about((i + 1) * (0.010 + averaging_s + update_s), rounding_of_sums));
          CHECK(overlapped.end_s(i) ==
                about((i + 1) * (std::max(0.010, averaging_s) + update_s), rounding_of_sums));
        }
      }
    }
  }
}

TEST_CASE("in D-PSGD a delay reaches one more neighbor with every iteration") {
  const Workload workload = one_layer(1, 0.004, 0.006);
  const auto load = [](Rank rank, std::int64_t iteration) {
    return Load{.delay_s = rank == 0 && iteration == 0 ? 1.0 : 0.0, .factor = 1};
  };
  const Trained trained = run_algorithm(*dpsgd(ring_of(9)), workload,
                                        {.cluster = {9, 1e-5, 1e9, 0}, .iterations = 4, .load = load});
  for (int iteration = 0; iteration < 4; ++iteration) {
    for (Rank rank = 0; rank < 9; ++rank) {
      const int distance = std::min(rank, 9 - rank);
      CAPTURE(rank);
      CAPTURE(iteration);
      CHECK((trained.log.of(rank)[static_cast<std::size_t>(iteration)].end_s > 1) ==
            (distance <= iteration + 1));
    }
  }
}

TEST_CASE("the better a graph is connected, the closer D-PSGD keeps its workers together") {
  const Workload workload = one_layer(20, 0.001, 0.002);
  const auto distance_on = [&](std::vector<std::vector<int>> distances) {
    const auto mixing = std::make_shared<Circulant>(16, std::move(distances));
    return consensus_distance(
        run_algorithm(*dpsgd(mixing), workload,
                      {.cluster = {.workers = 16},
                       .iterations = 100,
                       .replica = [&](Rank rank) { return different_replica(workload, rank, 0.1); }})
            .parameters);
  };
  std::vector<int> all;
  for (int distance = 1; distance < 16; ++distance) all.push_back(distance);
  const double ring = distance_on({{1, 15}});
  const double wider_ring = distance_on({{1, 2, 14, 15}});
  const double exponential = distance_on({{1, 2, 4, 8}});
  const double complete = distance_on({all});
  CAPTURE(ring);
  CAPTURE(complete);
  // Second eigenvalues 0.95, 0.81, 0.6, 0: far enough apart to show after 100 steps with worker-own optima.
  CHECK(ring > wider_ring);
  CHECK(wider_ring > exponential);
  CHECK(exponential > complete);
}

TEST_CASE("D-PSGD refuses a mixing matrix that is not doubly stochastic") {
  const DpsgdOptions options{.mixing = {.graph = StarGraph{}, .rule = MixingRule::uniform}};
  CHECK_THROWS_WITH_AS(make_algorithm(options, one_layer(5, 0.01, 0.02), {.workers = 3}),
                       "dpsgd: mixing matrix: the weights given to worker 0's model in iteration 0 sum to "
                       "1.3333333333333333, but must sum to 1",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling
