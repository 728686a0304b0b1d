#include "algorithms/training/gossip/adpsgd.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gossip_fixture.hpp"
#include "sim/random.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr std::uint64_t wild_schedules = has_address_sanitizer ? 40 : 1250;

/// Random loads: half of the iterations are delayed by 10 µs to 1 s, some hundred iterations, and workers
/// differ in speed up to 31-fold.
std::function<Load(Rank, std::int64_t)> wild_load(std::uint64_t seed) {
  return [random = CounterRandom(seed, Purpose::imbalance)](Rank rank, std::int64_t iteration) {
    const auto worker = static_cast<std::uint32_t>(rank);
    const auto step = static_cast<std::uint64_t>(iteration);
    const double kind = random.uniform(worker, step, 0);
    const double delay_s = kind < 0.5 ? 0 : std::pow(10, -5 + 5 * random.uniform(worker, step, 1));
    return Load{.delay_s = delay_s, .factor = 0.1 + random.uniform(worker, 0, 2) * 3};
  };
}

TEST_CASE(
    "whatever the delays, every worker of AD-PSGD completes its iterations and the mean of models is kept") {
  const Workload workload = one_layer(3, 1e-3, 1e-3, 1e-6);
  for (std::uint64_t seed = 0; seed < wild_schedules; ++seed) {
    for (int workers = 2; workers <= 16; workers += 2) {
      const StarCluster cluster{workers, seed % 3 == 0 ? 0 : 1e-4, 1e5, seed % 2 == 0 ? 0 : 1e-5};
      const double eager_threshold_bytes = seed % 4 < 2 ? 1e9 : 0;
      const auto algorithm = make_algorithm(AdpsgdOptions{}, workload, cluster.facts());
      const Trained trained =
          run_algorithm(*algorithm, workload,
                        {.cluster = cluster,
                         .iterations = 6,
                         .load = wild_load(seed),
                         .replica = [&](Rank rank) { return different_replica(workload, rank, 0); }},
                        eager_threshold_bytes);
      CAPTURE(seed);
      CAPTURE(workers);
      double before = 0;
      double after = 0;
      for (Rank rank = 0; rank < workers; ++rank) {
        CHECK(trained.log.of(rank).size() == 6);
        Replica start = different_replica(workload, rank, 0);
        before += start.parameters().data()[1];
        after += trained.parameters[static_cast<std::size_t>(rank)][1];
      }
      // Some ten roundings, of 6e-8 each, of each model's elements around 1.
      CHECK(std::abs(after - before) / workers < 1e-6);
    }
  }
}

TEST_CASE("AD-PSGD ends over a bipartite graph whatever pairs are drawn") {
  const Workload workload = one_layer(3, 1e-3, 1e-3);
  for (std::uint64_t seed = 0; seed < wild_schedules / 4; ++seed) {
    for (const int workers : {4, 8, 14}) {
      const auto ring = ring_of(workers);
      const StarCluster cluster{workers, 1e-4, 1e5, 1e-5};
      const Trained trained = run_algorithm(Adpsgd(Pairing::over_graph(*ring, seed)), workload,
                                            {.cluster = cluster, .iterations = 5, .load = wild_load(seed)});
      for (Rank rank = 0; rank < workers; ++rank) CHECK(trained.log.of(rank).size() == 5);
    }
  }
}

TEST_CASE(
    "in AD-PSGD computation never waits, and the last averaging and the goodbye come after the last "
    "iteration") {
  const Workload workload = one_layer(25'000, 0.004, 0.006, 1e-8);
  const double step_s = 0.010 + 1e5 * 1e-8;
  constexpr double alpha_s = 2e-4;
  constexpr double beta = 1e-8;
  constexpr double gamma = 1e-9;
  for (const int workers : {2, 6, 16}) {
    const StarCluster cluster{workers, alpha_s, 1 / beta, gamma};
    const Trained trained = run_algorithm(*make_algorithm(AdpsgdOptions{}, workload, cluster.facts()),
                                          workload, {.cluster = cluster, .iterations = 5});
    const double averaging_s = 2 * (alpha_s + 1e5 * beta) + 4 * beta + 1e5 * gamma;
    CAPTURE(workers);
    for (int i = 0; i < 5; ++i) CHECK(trained.end_s(i) == about((i + 1) * step_s, rounding_of_sums));
    for (Rank rank = 0; rank < workers; ++rank) {
      for (const IterationRecord& record : trained.log.of(rank))
        CHECK(record.blocked_s < 1e-12);  // rounding of points in time
    }
    // With two workers, whose only active one asks the only passive one, the end is known exactly: the last
    // averaging and a goodbye of one notification.
    if (workers == 2) {
      CHECK(trained.statistics.makespan_s ==
            about(5 * step_s + averaging_s + alpha_s + 4 * beta, rounding_of_sums));
      CHECK(trained.statistics.messages == 5 * 3 + 1);
    } else {
      CHECK(trained.statistics.makespan_s > 5 * step_s + averaging_s);
    }
  }
}

TEST_CASE("AD-PSGD iterations that end while an averaging is under way share the next one") {
  const Workload workload = one_layer(25'000, 0.004, 0.006);
  // An averaging takes 25 ms, 2.5 iterations.
  const StarCluster cluster{2, 0, 2e5 / 0.025, 0};
  const Trained trained = run_algorithm(*make_algorithm(AdpsgdOptions{}, workload, cluster.facts()), workload,
                                        {.cluster = cluster, .iterations = 8});
  // It is begun at 10, 35, 60 and 85 ms, four times until the last iteration ends at 80 ms; the one at 85 ms
  // takes what is left.
  CHECK(trained.statistics.messages == 4 * 3 + 1);
  CHECK(trained.end_s(7) == about(0.080, rounding_of_sums));
}

TEST_CASE("two workers of AD-PSGD end half-way between their models") {
  const Workload workload = one_layer(4, 1e-3, 1e-3);
  const StarCluster cluster{.workers = 2};
  const Trained trained = run_algorithm(*make_algorithm(AdpsgdOptions{}, workload, cluster.facts()), workload,
                                        {.cluster = cluster, .iterations = 1, .replica = [&](Rank rank) {
                                           return different_replica(workload, rank, 0);
                                         }});
  Replica first_replica = different_replica(workload, 0, 0);
  Replica second_replica = different_replica(workload, 1, 0);
  for (std::size_t e = 0; e < 4; ++e) {
    const float first = first_replica.parameters().data()[e];
    const float second = second_replica.parameters().data()[e];
    for (Rank rank = 0; rank < 2; ++rank) {
      // One addition of single precision.
      CHECK(trained.parameters[static_cast<std::size_t>(rank)][e] == about((first + second) / 2, 1e-6));
    }
  }
}

TEST_CASE(
    "averaging in AD-PSGD keeps the mean of models, and brings workers with different optima together") {
  const Workload workload = one_layer(10, 1e-3, 1e-3);
  constexpr int workers = 8;
  constexpr std::int64_t iterations = 400;
  constexpr double learning_rate = 0.02;
  const StarCluster cluster{workers, 1e-5, 1e8, 0};
  std::vector<std::vector<float>> optima;
  for (Rank rank = 0; rank < workers; ++rank) {
    Replica replica = different_replica(workload, rank, 0);
    const auto data = replica.parameters().data();
    optima.emplace_back(data.begin(), data.end());
  }
  std::vector<double> gradient_sums(optima.front().size(), 0);
  const auto replica = [&](Rank rank) {
    const std::vector<float>& optimum = optima[static_cast<std::size_t>(rank)];
    return Replica(workload, optimum, {.learning_rate = learning_rate},
                   [&](std::int64_t, std::span<const float> parameters, std::span<float> gradients) {
                     for (std::size_t e = 0; e < gradients.size(); ++e) {
                       gradients[e] = parameters[e] - optimum[e];
                       gradient_sums[e] += static_cast<double>(gradients[e]);
                     }
                   });
  };
  const Trained trained = run_algorithm(
      *make_algorithm(AdpsgdOptions{}, workload, cluster.facts()), workload,
      {.cluster = cluster, .iterations = iterations, .load = random_load(2), .replica = replica});
  const std::vector<double> start = mean_of(optima);
  const std::vector<double> reached = mean_of(trained.parameters);
  // A step and an averaging round a few numbers up to 2, by 2⁻²⁴ of them.
  const double rounding = 8 * 2 * 0x1p-24 * iterations;
  for (std::size_t e = 0; e < start.size(); ++e)
    CHECK(std::abs(start[e] - learning_rate * gradient_sums[e] / workers - reached[e]) < rounding);
  CHECK(consensus_distance(trained.parameters) < 0.1 * consensus_distance(optima));
}

TEST_CASE("the better a graph is connected, the closer AD-PSGD keeps its workers together") {
  const Workload workload = one_layer(10, 1e-3, 1e-3);
  const StarCluster cluster{32, 1e-5, 1e8, 0};
  const auto distance_on = [&](const Pairing& pairing) {
    const Trained trained = run_algorithm(
        Adpsgd(pairing), workload,
        {.cluster = cluster, .iterations = 300, .load = random_load(2), .replica = [&](Rank rank) {
           return different_replica(workload, rank, 0.05);
         }});
    return consensus_distance(trained.parameters);
  };
  std::vector<int> odd;
  for (int distance = 1; distance < 32; distance += 2) odd.push_back(distance);
  const Circulant all_of_the_other_side(32, {odd});
  const double ring = distance_on(Pairing::over_graph(*ring_of(32), 5));
  const double exponential = distance_on(Pairing::exponential(32));
  const double complete = distance_on(Pairing::over_graph(all_of_the_other_side, 5));
  CAPTURE(ring);
  CAPTURE(exponential);
  CAPTURE(complete);
  CHECK(ring > exponential);
  CHECK(ring > complete);
}

}  // namespace
}  // namespace starling
