#include "algorithms/training/gossip/graph_mixing.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "gossip_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

std::shared_ptr<const GraphMixing> mixing_of(int workers, CommunicationGraphKind kind) {
  return std::make_shared<GraphMixing>(
      MixingMatrix(build_communication_graph({.workers = workers, .kind = kind})));
}

std::vector<Rank> ranks_of(const std::vector<MixingNeighbor>& neighbors) {
  std::vector<Rank> ranks;
  for (const MixingNeighbor& neighbor : neighbors) ranks.push_back(neighbor.rank);
  return ranks;
}

TEST_CASE("neighbors come in the order of their distance, forward when sending and backward when receiving") {
  const auto mixing = mixing_of(6, CompleteGraph{});
  CHECK(ranks_of(mixing->out_neighbors(2, 0)) == std::vector<Rank>{3, 4, 5, 0, 1});
  CHECK(ranks_of(mixing->in_neighbors(2, 0)) == std::vector<Rank>{1, 0, 5, 4, 3});
  CHECK(ranks_of(mixing->out_neighbors(5, 0)) == std::vector<Rank>{0, 1, 2, 3, 4});
  CHECK(ranks_of(mixing->in_neighbors(0, 0)) == std::vector<Rank>{5, 4, 3, 2, 1});
}

TEST_CASE("weights of a graph are those of its mixing matrix, the same at both ends of an edge") {
  for (const CommunicationGraphKind& kind :
       std::vector<CommunicationGraphKind>{StarGraph{}, SmallWorldGraph{}, OnePeerExponentialGraph{}}) {
    const auto mixing = mixing_of(12, kind);
    for (std::int64_t iteration = 0; iteration < mixing->period(); ++iteration) {
      for (Rank rank = 0; rank < 12; ++rank) {
        double sum = mixing->own_weight(rank, iteration);
        for (const auto& [source, weight] : mixing->in_neighbors(rank, iteration)) {
          sum += weight;
          bool is_sent = false;
          for (const auto& [destination, sent] : mixing->out_neighbors(source, iteration))
            is_sent = is_sent || (destination == rank && sent == weight);
          CHECK(is_sent);
        }
        // Rounding of a dozen additions of numbers up to 1.
        CHECK(sum == about(1, 1e-14));
      }
    }
  }
}

TEST_CASE("an iteration of D-PSGD on a communication graph takes the time of its neighbors' messages") {
  const Workload workload = one_layer(25'000, 0.004, 0.006);
  const StarCluster cluster{16, 2e-4, 1e8, 1e-9};
  const std::vector<std::pair<CommunicationGraphKind, int>> graphs = {
      {RingGraph{}, 2}, {CompleteGraph{}, 15}, {ExponentialGraph{}, 4}, {OnePeerExponentialGraph{}, 1}};
  for (const auto& [kind, degree] : graphs) {
    const Dpsgd algorithm({}, mixing_of(16, kind));
    const Trained trained = run_algorithm(algorithm, workload, {.cluster = cluster, .iterations = 3});
    const double averaging_s = 2e-4 + degree * 1e5 / 1e8 + 1e5 * 1e-9;
    CAPTURE(degree);
    CHECK(trained.end_s(2) == about(3 * (0.010 + averaging_s), 1e-9));  // rounding
  }
}

TEST_CASE("whatever the graph, averaging with doubly stochastic weights keeps the mean of all models") {
  const Workload workload = one_layer(30, 1e-3, 2e-3);
  const std::vector<CommunicationGraphKind> graphs = {
      RingGraph{},      StarGraph{},        CompleteGraph{},   TorusGraph{},
      HypercubeGraph{}, ExponentialGraph{}, SmallWorldGraph{}, RandomRegularGraph{}};
  for (const CommunicationGraphKind& kind : graphs) {
    const StarCluster cluster{16, 1e-4, 1e6, 1e-8};
    const Dpsgd algorithm({}, mixing_of(16, kind));
    const auto models = [&](std::int64_t iterations) {
      return run_algorithm(algorithm, workload,
                           {.cluster = cluster,
                            .iterations = iterations,
                            .load = random_load(6),
                            .replica = [&](Rank rank) { return different_replica(workload, rank, 0); }})
          .parameters;
    };
    const std::vector<double> before = mean_of(models(0));
    const auto averaged = models(50);
    const std::vector<double> after = mean_of(averaged);
    CAPTURE(kind.index());
    // 50 single-precision sums, each with a rounding of up to 6e-8 either way.
    for (std::size_t e = 0; e < before.size(); ++e) CHECK(std::abs(after[e] / before[e] - 1) < 1e-6);
    CHECK(consensus_distance(averaged) < consensus_distance(models(1)));
  }
}

}  // namespace
}  // namespace starling
