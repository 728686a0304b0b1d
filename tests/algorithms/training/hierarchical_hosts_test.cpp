#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/collectives/cost.hpp"
#include "sim/networks/event/event_network.hpp"
#include "tests/algorithms/training/gossip/gossip_fixture.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// Hosts of `workers_per_host` workers each. Between hosts only bandwidth costs: start-ups of workers that
/// share an interface would overlap with each other's messages.
struct Hosts {
  static constexpr double between_Bps = 1e8;
  static constexpr LinearCosts inside{.start_up_s = 1e-5, .s_per_byte = 1e-9};

  int workers;
  int workers_per_host;

  int hosts() const { return workers / workers_per_host; }
  ClusterFacts facts() const {
    return {.workers = workers,
            .workers_per_host = workers_per_host,
            .costs = {.start_up_s = 0, .s_per_byte = 1 / between_Bps},
            .intra_host_costs = inside};
  }
  Network network() const {
    return build_network({.workers = workers,
                          .workers_per_host = workers_per_host,
                          .network = {.kind = StarOptions{.link = {between_Bps, 0}}},
                          .intra_host_link = LinkOptions{1 / inside.s_per_byte, inside.start_up_s}});
  }
  /// The time in seconds of an all-reduce inside hosts and, between them, of shares that pass the host's
  /// interface at the same time.
  double hierarchical_s(double bytes) const {
    const LinearCosts shared{.start_up_s = 0, .s_per_byte = workers_per_host / between_Bps};
    return cost::hierarchical_allreduce(workers_per_host, bytes, inside,
                                        cost::ring_allreduce(hosts(), bytes / workers_per_host, shared));
  }
};

Trained train_on(const Hosts& cluster, const TrainingAlgorithm& algorithm, const Workload& workload,
                 const TrainingSetup& setup) {
  const Network network = cluster.network();
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  return train_in(world, cluster.workers, algorithm, workload, setup);
}

constexpr Hosts clusters[] = {{4, 2}, {8, 2}, {8, 4}, {16, 4}, {4, 4}};
// 96,000 bytes fall into equal shares of all these clusters.
constexpr std::int64_t equal_shares = 24'000;
constexpr double equal_share_bytes = 4.0 * equal_shares;

// Workers of a host end an all-reduce one after the other, as they share its interface, so only the first one
// begins everywhere at once and takes what the formula says.

TEST_CASE("averages of WAGMA and local SGD take the time of a hierarchical all-reduce if that is chosen") {
  const Workload workload = one_layer(equal_shares, 0.004, 0.006, 1e-8);
  for (const Hosts& cluster : clusters) {
    const auto wagma =
        make_algorithm(WagmaOptions{.collective = "hierarchical", .group_size = 1, .sync_period = 1},
                       workload, cluster.facts());
    const auto local = make_algorithm(LocalSgdOptions{.collective = "hierarchical", .sync_period = 1},
                                      workload, cluster.facts());
    CAPTURE(cluster.workers);
    CAPTURE(cluster.workers_per_host);
    const double expected_s = 0.010 + equal_share_bytes * 1e-8 + cluster.hierarchical_s(equal_share_bytes);
    CHECK(train_on(cluster, *wagma, workload, {.iterations = 1}).end_s(0) ==
          about(expected_s, rounding_of_sums));
    CHECK(train_on(cluster, *local, workload, {.iterations = 1}).end_s(0) ==
          about(expected_s, rounding_of_sums));
  }
}

TEST_CASE(
    "averages of decentralized Adam take the time of a hierarchical all-reduce during the next iteration") {
  const Workload workload = one_layer(equal_shares, 0.0004, 0.0006, 1e-9);
  const double update_s = equal_share_bytes * 1e-9;
  for (const Hosts& cluster : clusters) {
    for (const std::string graph : {"complete", "alternating_exponential_ring"}) {
      // Of two hosts, which average across both in iteration 1; more would average in pairs.
      if (graph != "complete" && cluster.hosts() != 2) continue;
      const auto algorithm = make_algorithm(
          DecentralizedAdamOptions{.collective = "hierarchical", .graph = graph}, workload, cluster.facts());
      const double first_end_s = 0.001 + update_s;
      const double end_s =
          first_end_s + std::max(0.001, cluster.hierarchical_s(equal_share_bytes)) + update_s;
      CAPTURE(graph);
      CAPTURE(cluster.workers);
      CAPTURE(cluster.workers_per_host);
      const Trained trained = train_on(cluster, *algorithm, workload, {.iterations = 2});
      CHECK(trained.end_s(0) == about(first_end_s, rounding_of_sums));
      CHECK(trained.end_s(1) == about(end_s, rounding_of_sums));
    }
  }
}

TEST_CASE("inside a host a hierarchical average is a ring over the host's own link") {
  // Two hosts average across both under the 10 ms of iteration 1, then inside each while iteration 2 computes
  // nothing.
  const Workload workload = one_layer(equal_shares, 0.004, 0.006);
  const auto load = [](Rank, std::int64_t iteration) { return Load{.factor = iteration == 2 ? 0.0 : 1.0}; };
  for (const Hosts cluster : {Hosts{4, 2}, Hosts{8, 4}}) {
    const auto algorithm = make_algorithm(
        DecentralizedAdamOptions{.collective = "hierarchical", .graph = "alternating_exponential_ring"},
        workload, cluster.facts());
    const double inside_s = cost::ring_allreduce(cluster.workers_per_host, equal_share_bytes, Hosts::inside);
    const Trained trained = train_on(cluster, *algorithm, workload, {.iterations = 3, .load = load});
    CHECK(trained.end_s(2) == about(0.020 + inside_s, rounding_of_sums));
  }
}

TEST_CASE("a hierarchical collective gives the averages of a ring") {
  const Workload workload = one_layer(50, 0.004, 0.006);
  const auto replica = [&](Rank rank) { return different_replica(workload, rank, 0.1); };
  for (const Hosts& cluster : clusters) {
    const auto models = [&](const char* collective) {
      const ClusterFacts facts = cluster.facts();
      std::vector<std::vector<std::vector<float>>> found;
      const std::unique_ptr<TrainingAlgorithm> algorithms[] = {
          make_algorithm(EagerOptions{.collective = collective, .model_sync_iterations = 4}, workload, facts),
          make_algorithm(WagmaOptions{.collective = collective, .sync_period = 4}, workload, facts),
          make_algorithm(LocalSgdOptions{.collective = collective, .sync_period = 4}, workload, facts),
          make_algorithm(DecentralizedAdamOptions{.collective = collective, .graph = "complete"}, workload,
                         facts)};
      for (const auto& algorithm : algorithms)
        found.push_back(
            train_on(cluster, *algorithm, workload, {.iterations = 4, .replica = replica}).parameters);
      return found;
    };
    const auto hierarchical = models("hierarchical");
    const auto ring = models("ring");
    CAPTURE(cluster.workers);
    CAPTURE(cluster.workers_per_host);
    for (std::size_t algorithm = 0; algorithm < ring.size(); ++algorithm) {
      CAPTURE(algorithm);
      double worst = 0;
      for (std::size_t rank = 0; rank < ring[algorithm].size(); ++rank) {
        for (std::size_t e = 0; e < 50; ++e) {
          worst = greater_error(worst, std::abs(hierarchical[algorithm][rank][e] - ring[algorithm][rank][e]));
        }
      }
      // Single-precision sums of up to 16 numbers around 1 in different orders, up to four times: some 64
      // roundings of up to 1.2e-7.
      CHECK(worst < 1e-5);
      CHECK((algorithm == 3 || hierarchical[algorithm].front() == hierarchical[algorithm].back()));
    }
  }
}

}  // namespace
}  // namespace starling
