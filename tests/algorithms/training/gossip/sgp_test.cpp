#include "algorithms/training/gossip/sgp.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "algorithms/collectives/cost.hpp"
#include "algorithms/training/gossip/push_sum.hpp"
#include "base/numbers/power_of_two.hpp"
#include "gossip_fixture.hpp"
#include "sim/networks/event/event_network.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// A mixing schedule in which rank 0 sends to all others and every other rank to the next one: the columns of
/// its matrix sum to 1, the rows do not.
class Uneven final : public MixingSchedule {
 public:
  explicit Uneven(int ranks) : ranks_(ranks) {}
  int ranks() const override { return ranks_; }
  std::int64_t period() const override { return 1; }
  double own_weight(Rank rank, std::int64_t) const override { return rank == 0 ? 1.0 / ranks_ : 0.5; }
  void find_in_neighbors(Rank rank, std::int64_t, std::vector<MixingNeighbor>& found) const override {
    found.clear();
    if (rank != 0) found.push_back({0, 1.0 / ranks_});
    const Rank before = (rank + ranks_ - 1) % ranks_;
    if (before != 0) found.push_back({before, 0.5});
  }
  void find_out_neighbors(Rank rank, std::int64_t, std::vector<MixingNeighbor>& found) const override {
    found.clear();
    if (rank != 0) return found.push_back({(rank + 1) % ranks_, 0.5});
    for (Rank other = 1; other < ranks_; ++other) found.push_back({other, 1.0 / ranks_});
  }

 private:
  int ranks_;
};

TEST_CASE("push-sum keeps the sums of models and of weights, and x/w tends to the mean on uneven graphs") {
  constexpr int workers = 5;
  const Uneven mixing(workers);
  const Workload workload = one_layer(3, 0, 0);
  const StarOptions star{.link = {.bandwidth_Bps = 1e9, .latency_s = 1e-5}};
  const Network network = build_network({.workers = workers, .network = {.kind = star}});
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  double start_sum = 0;
  double end_sum = 0;
  double weight_sum = 0;
  std::vector<double> ratios;
  world.run([&](Worker& worker) {
    Replica replica = different_replica(workload, worker.rank(), 0);
    start_sum += replica.parameters().data()[1];
    PushSum push_sum(worker, mixing, replica.parameters(), 1);
    for (int exchange = 0; exchange < 60; ++exchange) {
      push_sum.push(exchange);
      push_sum.complete();
    }
    end_sum += push_sum.model().data()[1];
    weight_sum += push_sum.weight();
    ratios.push_back(push_sum.model().data()[1] / push_sum.weight());
  });
  // Single-precision sums of 60 exchanges, each with a rounding of up to 6e-8 either way.
  CHECK(end_sum == about(start_sum, 1e-6));
  CHECK(weight_sum == about(workers, 1e-6));
  // 60 exchanges of five workers leave nothing but single-precision rounding.
  for (const double ratio : ratios) CHECK(ratio == about(start_sum / workers, 1e-5));
}

TEST_CASE("SGP without gradients keeps the mean of models, also with messages under way") {
  const Workload workload = one_layer(40, 0.001, 0.002);
  for (const int workers : {1, 2, 5, 8, 12}) {
    for (const int overlap : {0, 1, 3}) {
      const StarCluster cluster{workers, 1e-3, 1e6, 1e-9};
      const auto replica = [&](Rank rank) { return different_replica(workload, rank, 0); };
      const auto run = [&](std::int64_t iterations) {
        return run_algorithm(
                   *make_algorithm(SgpOptions{.overlap = overlap}, workload, cluster.facts()), workload,
                   {.cluster = cluster, .iterations = iterations, .load = random_load(5), .replica = replica})
            .parameters;
      };
      CAPTURE(workers);
      CAPTURE(overlap);
      const auto models = run(61);
      const std::vector<double> before = mean_of(run(0));
      const std::vector<double> after = mean_of(models);
      // 61 single-precision exchanges of numbers up to 2, each with a rounding of up to 1.2e-7 either way.
      for (std::size_t e = 0; e < before.size(); ++e) CHECK(std::abs(after[e] - before[e]) < 3e-6);
      // At least 20 exchanges, where log₂P give the exact mean if P is a power of two; otherwise differences
      // shrink by a factor in each.
      CHECK(consensus_distance(models) < 1e-3);
    }
  }
}

TEST_CASE("SGP without overlap takes the time of its messages, which are one element longer than the model") {
  const Workload workload = one_layer(25'000, 0.004, 0.006, 1e-8);
  const double step_s = 0.010 + 1e5 * 1e-8;
  for (const int neighbors : {1, 2, 4}) {
    const StarCluster cluster{16, 2e-4, 1e8, 1e-9};
    const double bytes = 1e5 + 4;
    const double push_s = 2e-4 + neighbors * bytes / 1e8 + bytes * 1e-9;
    const Trained trained =
        run_algorithm(*make_algorithm(SgpOptions{.neighbors = neighbors}, workload, cluster.facts()),
                      workload, {.cluster = cluster, .iterations = 5});
    CAPTURE(neighbors);
    for (int i = 0; i < 5; ++i)
      CHECK(trained.end_s(i) == about((i + 1) * (step_s + push_s), rounding_of_sums));
    CHECK(trained.statistics.messages == static_cast<std::uint64_t>(16 * 5 * neighbors));
  }
}

TEST_CASE("SGP with overlap τ waits only for the time that a message takes beyond τ iterations") {
  const Workload workload = one_layer(25'000, 0.004, 0.006);
  for (const double bandwidth_Bps : {1e8, 5e6}) {
    for (const int overlap : {1, 2}) {
      const StarCluster cluster{8, 2e-4, bandwidth_Bps, 1e-9};
      const double bytes = 1e5 + 4;
      const double message_s = 2e-4 + bytes / bandwidth_Bps;
      const Trained trained =
          run_algorithm(*make_algorithm(SgpOptions{.overlap = overlap}, workload, cluster.facts()), workload,
                        {.cluster = cluster, .iterations = 9});
      CAPTURE(overlap);
      CAPTURE(bandwidth_Bps);
      double end_s = 0;
      double sent_s = -1;
      for (int i = 0; i < 9; ++i) {
        end_s += 0.010;
        if (i % overlap == 0) {
          if (sent_s >= 0) end_s = std::max(end_s, sent_s + message_s) + bytes * 1e-9;
          sent_s = end_s;
        }
        CHECK(trained.end_s(i) == about(end_s, rounding_of_sums));
      }
    }
  }
}

/// A worker or host that pushes: its weight, its initial model, and the optimum of its gradients.
struct Pusher {
  double weight = 1;
  std::vector<double> start = {};
  std::vector<double> optimum = {};
};

/// The models of Algorithm 1 of the SGP paper in double precision, over the directed exponential graph with
/// one peer, whose messages are `overlap` iterations under way.
std::vector<std::vector<double>> push_and_step(const std::vector<Pusher>& pushers, int overlap,
                                               std::int64_t iterations, double learning_rate) {
  const std::size_t workers = pushers.size();
  const std::size_t elements = pushers.front().start.size();
  // x of every worker, and w behind it.
  std::vector<std::vector<double>> held;
  for (const Pusher& pusher : pushers) {
    std::vector<double>& state = held.emplace_back(pusher.start);
    state.push_back(1);
    for (double& number : state) number *= pusher.weight;
  }
  std::vector<std::vector<double>> under_way(workers, std::vector<double>(elements + 1, 0));
  const auto take = [&] {
    for (std::size_t i = 0; i < workers; ++i) {
      for (std::size_t e = 0; e <= elements; ++e) held[i][e] += std::exchange(under_way[i][e], 0);
    }
  };
  const auto push = [&](std::size_t distance) {
    for (std::size_t i = 0; i < workers; ++i) {
      for (double& number : held[i]) number /= 2;
      under_way[(i + distance) % workers] = held[i];
    }
  };
  std::vector<std::vector<double>> models(workers);
  const auto remove_bias = [&] {
    for (std::size_t i = 0; i < workers; ++i) {
      models[i].assign(held[i].begin(), held[i].end() - 1);
      for (double& number : models[i]) number /= held[i].back();
    }
  };
  std::int64_t exchanges = 0;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    remove_bias();
    for (std::size_t i = 0; i < workers; ++i) {
      for (std::size_t e = 0; e < elements; ++e)
        held[i][e] -= learning_rate * pushers[i].weight * (models[i][e] - pushers[i].optimum[e]);
    }
    if (overlap > 0 && iteration % overlap != 0) continue;
    take();
    push(std::size_t{1} << (exchanges++ % ceil_log2(static_cast<int>(workers))));
    if (overlap == 0) take();
  }
  take();
  remove_bias();
  return models;
}

/// The greatest rounding error of models: an iteration rounds up to ten numbers up to 2 by 2⁻²⁴ of them, and
/// gradients make that fade within 1/learning_rate iterations.
double rounding_of_steps(std::int64_t iterations, double learning_rate) {
  return 10 * 2 * 0x1p-24 * std::min(static_cast<double>(iterations), 1 / learning_rate);
}

TEST_CASE("SGP computes the models of its paper's Algorithm 1, also with messages under way") {
  const Workload workload = one_layer(10, 0.001, 0.002);
  constexpr double learning_rate = 0.02;
  const auto replica = [&](Rank rank) { return different_replica(workload, rank, learning_rate); };
  const StarCluster cluster{.workers = 8};
  for (const int overlap : {0, 1, 3}) {
    const auto run = [&](std::int64_t iterations) {
      return run_algorithm(*make_algorithm(SgpOptions{.overlap = overlap}, workload, cluster.facts()),
                           workload, {.cluster = cluster, .iterations = iterations, .replica = replica})
          .parameters;
    };
    std::vector<Pusher> pushers;
    for (const std::vector<float>& optimum : run(0)) {
      const std::vector<double> place(optimum.begin(), optimum.end());
      pushers.push_back({.start = place, .optimum = place});
    }
    for (const std::int64_t iterations : {1, 2, 7, 400}) {
      CAPTURE(overlap);
      CAPTURE(iterations);
      const auto expected = push_and_step(pushers, overlap, iterations, learning_rate);
      const auto reached = run(iterations);
      const double rounding = rounding_of_steps(iterations, learning_rate);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (std::size_t e = 0; e < reached[i].size(); ++e)
          CHECK(std::abs(reached[i][e] - expected[i][e]) < rounding);
      }
    }
  }
}

TEST_CASE("SGP per host sums gradients inside a host, pushes once per host and broadcasts the model") {
  const Workload workload = one_layer(25'000, 0.004, 0.006, 1e-8);
  const double bytes = 1e5;
  const double step_s = 0.010 + bytes * 1e-8;
  constexpr double alpha_s = 2e-4;
  constexpr double bandwidth_Bps = 1e8;
  const StarCluster cluster{16, alpha_s, bandwidth_Bps, 1e-9};
  ClusterFacts facts = cluster.facts();
  for (const int per_host : {1, 2, 4}) {
    facts.workers_per_host = per_host;
    // One segment: 1e5 bytes are less than 512 KiB.
    const double host_s = cost::ring_allreduce(per_host, bytes, facts.costs) +
                          cost::chain_broadcast(per_host, bytes, 1, facts.costs);
    const double push_s = alpha_s + (bytes + 4) / bandwidth_Bps + (bytes + 4) * 1e-9;
    const Trained trained = run_algorithm(*make_algorithm(SgpOptions{.per_host = true}, workload, facts),
                                          workload, {.cluster = cluster, .iterations = 5});
    CAPTURE(per_host);
    // A host's first worker goes on when the model has left, a start-up before the last one has it.
    const double iteration_s = step_s + push_s + host_s;
    const double early_s = per_host == 1 ? 0 : alpha_s;
    CHECK(trained.end_s(4) <= 5 * iteration_s * (1 + rounding_of_sums));
    CHECK(trained.end_s(4) >= 5 * (iteration_s - early_s) * (1 - rounding_of_sums));
  }
}

TEST_CASE("SGP per host broadcasts the model in segments of at most 512 KiB") {
  ClusterFacts facts = StarCluster{.workers = 4}.facts();
  facts.workers_per_host = 2;
  for (const auto& [elements, segments] : {std::pair{131'072, 1}, {131'073, 2}, {262'144, 2}, {262'145, 3}})
    CHECK(HostSharing(one_layer(elements, 0, 0), facts).share_schedule().rounds(0) == segments);
}

TEST_CASE("SGP per host equals SGP for hosts of one worker, and leaves one model within each host") {
  const Workload workload = one_layer(10, 0.001, 0.002);
  const auto replica = [&](Rank rank) { return different_replica(workload, rank, 0.02); };
  const StarCluster cluster{.workers = 8};
  ClusterFacts facts = cluster.facts();
  const auto models = [&](const SgpOptions& options) {
    return run_algorithm(*make_algorithm(options, workload, facts), workload,
                         {.cluster = cluster, .iterations = 40, .replica = replica})
        .parameters;
  };
  facts.workers_per_host = 1;
  CHECK(models({.overlap = 1, .per_host = true}) == models({.overlap = 1}));

  facts.workers_per_host = 8;
  const auto shared = models({.per_host = true});
  for (const auto& model : shared) CHECK(model == shared.front());

  facts.workers_per_host = 2;
  const auto of_hosts = models({.overlap = 1, .per_host = true});
  for (std::size_t rank = 0; rank < of_hosts.size(); ++rank) CHECK(of_hosts[rank] == of_hosts[rank / 2 * 2]);
  CHECK(of_hosts[0] != of_hosts[2]);
}

TEST_CASE("in SGP per host a host weighs as many workers as it has, so that all optima count alike") {
  const Workload workload = one_layer(10, 0.001, 0.002);
  constexpr double learning_rate = 0.1;
  constexpr std::int64_t iterations = 300;
  const auto optimum_of = [&](Rank rank) {
    Replica replica = different_replica(workload, rank, 0);
    const auto data = replica.parameters().data();
    return std::vector<float>(data.begin(), data.end());
  };
  for (const int workers : {3, 5, 7, 8}) {
    const StarCluster cluster{.workers = workers};
    ClusterFacts facts = cluster.facts();
    facts.workers_per_host = workers == 7 ? 4 : 2;
    // A host's workers begin where its first one does.
    const auto replica = [&](Rank rank) {
      const std::vector<float> optimum = optimum_of(rank);
      return Replica(workload, optimum_of(rank / facts.workers_per_host * facts.workers_per_host),
                     {.learning_rate = learning_rate},
                     [optimum](std::int64_t, std::span<const float> parameters, std::span<float> gradients) {
                       for (std::size_t e = 0; e < gradients.size(); ++e)
                         gradients[e] = parameters[e] - optimum[e];
                     });
    };
    std::vector<Pusher> hosts;
    for (Rank first = 0; first < workers; first += facts.workers_per_host) {
      std::vector<std::vector<float>> optima;
      for (Rank rank = first; rank < std::min(first + facts.workers_per_host, workers); ++rank)
        optima.push_back(optimum_of(rank));
      hosts.push_back({.weight = static_cast<double>(optima.size()) / facts.workers_per_host,
                       .start = {optima[0].begin(), optima[0].end()},
                       .optimum = mean_of(optima)});
    }
    for (const int overlap : {0, 1}) {
      CAPTURE(workers);
      CAPTURE(overlap);
      const auto reached =
          run_algorithm(*make_algorithm(SgpOptions{.overlap = overlap, .per_host = true}, workload, facts),
                        workload, {.cluster = cluster, .iterations = iterations, .replica = replica})
              .parameters;
      const auto expected = push_and_step(hosts, overlap, iterations, learning_rate);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        const auto& of_host = expected[i / static_cast<std::size_t>(facts.workers_per_host)];
        for (std::size_t e = 0; e < of_host.size(); ++e)
          CHECK(std::abs(reached[i][e] - of_host[e]) < rounding_of_steps(iterations, learning_rate));
      }
    }
  }
}

TEST_CASE("invalid options of SGP are refused") {
  const Workload workload = one_layer(10, 0.001, 0.002);
  CHECK_THROWS_WITH_AS(make_algorithm(SgpOptions{.neighbors = 4}, workload, {.workers = 8}),
                       "sgp: neighbors is 4; with 8 workers it must be 1 … 3", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_training_algorithm(SgpOptions{.neighbors = 0}, workload, {.workers = 8}),
                       "sgp: neighbors is 0; it must be from 1 to 64", std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_training_algorithm(SgpOptions{.overlap = -1}, workload, {.workers = 8}),
                       "sgp: overlap is -1; it must be from 0 to 1048576", std::invalid_argument);
}

}  // namespace
}  // namespace starling
