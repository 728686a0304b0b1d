#include "topologies/graphs/spectral_gap.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "tests/rounding.hpp"
#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

using std::numbers::pi;

/// Roundings in a product of a few hundred terms, and the tolerance of the iterative method.
constexpr double precision = 1e-9;

void check_gap(double expected, int workers, const CommunicationGraphKind& kind) {
  CAPTURE(workers);
  const MixingMatrix matrix = matrix_of(workers, kind);
  CHECK(std::abs(spectral_gap(matrix, SpectralMethod::dense) - expected) < precision);
  CHECK(std::abs(spectral_gap(matrix, SpectralMethod::iterative) - expected) < precision);
}

TEST_CASE("the spectral gap of a ring is 2/3 (1 - cos 2π/P)") {
  for (const int workers : {3, 4, 5, 8, 33, 100}) {
    check_gap(2.0 / 3 * (1 - std::cos(2 * pi / workers)), workers, RingGraph{});
  }
}

TEST_CASE("the spectral gap of a torus is that of its longest dimension") {
  check_gap(0.4 * (1 - std::cos(2 * pi / 8)), 48, TorusGraph{{8, 6}});
  check_gap(2.0 / 7 * (1 - std::cos(2 * pi / 5)), 60, TorusGraph{{4, 3, 5}});
}

TEST_CASE("the spectral gap of a hypercube of d dimensions is 2/(d + 1)") {
  for (const int dimensions : {2, 3, 5, 7}) {
    check_gap(2.0 / (dimensions + 1), 1 << dimensions, HypercubeGraph{});
  }
}

TEST_CASE("the spectral gap of the exponential graph of 2^k workers is 2/(k + 1)") {
  for (const int exponents : {2, 3, 5, 7}) {
    check_gap(2.0 / (exponents + 1), 1 << exponents, ExponentialGraph{});
  }
}

TEST_CASE("the spectral gap of a star of P workers is 1/P") {
  for (const int workers : {3, 10, 50}) check_gap(1.0 / workers, workers, StarGraph{});
}

TEST_CASE("the spectral gap of complete averaging is 1, at any size") {
  for (const int workers : {1, 2, 3, 8, 100'000}) {
    CHECK(spectral_gap(matrix_of(workers, CompleteGraph{})) == 1);
  }
}

TEST_CASE("one period of a one-peer exponential graph of 2^k workers averages exactly") {
  for (const int workers : {2, 4, 16, 64}) {
    check_gap(1, workers, OnePeerExponentialGraph{ExponentialPairs::exchange});
    check_gap(1, workers, OnePeerExponentialGraph{ExponentialPairs::shift});
  }
  CHECK(spectral_gap(matrix_of(12, OnePeerExponentialGraph{})) < 0.99);
}

TEST_CASE("one period of the alternating exponential ring averages exactly") {
  for (const int hosts : {2, 4, 8}) {
    for (const int workers_per_host : {1, 2, 3}) {
      const MixingMatrix matrix(
          graph_of(hosts * workers_per_host, AlternatingExponentialRingGraph{}, workers_per_host));
      CHECK(std::abs(spectral_gap(matrix, SpectralMethod::dense) - 1) < precision);
      CHECK(std::abs(spectral_gap(matrix, SpectralMethod::iterative) - 1) < precision);
    }
  }
}

TEST_CASE("one period of a one-peer ring leaves a second eigenvalue of cos 2π/P") {
  for (const int workers : {4, 6, 8, 50}) {
    check_gap(1 - std::cos(2 * pi / workers), workers, OnePeerRingGraph{});
  }
}

TEST_CASE("the methods for small and for large matrices give the same spectral gap") {
  for (auto& [name, graph] : graphs_of_every_kind()) {
    if (graph->workers() < 5) continue;
    CAPTURE(name);
    const MixingMatrix matrix(std::move(graph));
    const double dense = spectral_gap(matrix, SpectralMethod::dense);
    CHECK(std::abs(dense - spectral_gap(matrix, SpectralMethod::iterative)) < precision);
    CHECK(dense > 0);
    CHECK(dense <= 1);
  }
}

TEST_CASE("large graphs have the spectral gap of their closed form") {
  CHECK(spectral_gap(matrix_of(4096, HypercubeGraph{})) == about(2.0 / 13, precision));
  CHECK(spectral_gap(matrix_of(4096, OnePeerExponentialGraph{})) == about(1, precision));
  // At most 10⁴ products of a few roundings of 1e-16 each, which come to 1e-11 at most, and a gap of 1.3e-5.
  CHECK(spectral_gap(matrix_of(1000, RingGraph{})) == about(2.0 / 3 * (1 - std::cos(2 * pi / 1000)), 1e-6));
}

TEST_CASE("the spectral gap of a random regular graph is near the greatest possible") {
  // Friedman: the second eigenvalue of the adjacency matrix is near 2 √(d−1); it cannot be much less. It is
  // off by some P^(−2/3) of itself, 1 % here; 0.03 of the gap are 5 %.
  const double gap = spectral_gap(matrix_of(1000, RandomRegularGraph{10}));
  const double best = 1 - (1 + 2 * std::sqrt(9.0)) / 11;
  CHECK(gap > best - 0.03);
  CHECK(gap < best + 0.03);
}

TEST_CASE("where only rows or only columns sum to 1, the spectral gap is that of the eigenvalues") {
  // Trace 1.25, so the second eigenvalue is 0.25.
  const EdgeListGraph lopsided = {{{0, 1, 0.5}, {1, 0, 0.25}}, true};
  CHECK(spectral_gap(matrix_of(2, lopsided)) == about(0.75));
  const EdgeListGraph columns = {{{0, 1, 0.25}, {1, 0, 0.5}, {0, 0, 0.75}, {1, 1, 0.5}}, true};
  CHECK(spectral_gap(matrix_of(2, columns)) == about(0.75));
}

TEST_CASE("receiving in equal shares on a graph and sending so on its reverse have the same spectral gap") {
  const EdgeListGraph graph = {{{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 4, {}}, {4, 0, {}}, {0, 2, {}}},
                               true};
  EdgeListGraph reverse = graph;
  for (GraphEdge& edge : reverse.edges) std::swap(edge.source, edge.destination);
  for (const SpectralMethod method : {SpectralMethod::dense, SpectralMethod::iterative}) {
    const double receiving = spectral_gap(matrix_of(5, graph, MixingRule::uniform), method);
    const double sending = spectral_gap(matrix_of(5, reverse, MixingRule::push_sum), method);
    CHECK(receiving == about(sending, precision));
    CHECK(receiving > 0.1);
  }
}

TEST_CASE("a matrix that is not stochastic has no spectral gap") {
  CHECK_THROWS_WITH_AS(
      spectral_gap(matrix_of(2, EdgeListGraph{{{0, 1, 0.5}, {1, 1, 0.75}}})),
      "mixing matrix: the weights that worker 1 averages with in iteration 0 sum to 1.25, but "
      "must sum to 1",
      std::invalid_argument);
}

/// A graph that claims to have 2³⁰ edges.
class HugeGraph final : public CommunicationGraph {
 public:
  HugeGraph() : CommunicationGraph({.workers = 2}) {}
  void find_out_neighbors(Rank rank, std::int64_t, std::vector<Rank>& found) const override {
    found = {1 - rank};
  }
  void find_in_neighbors(Rank rank, std::int64_t, std::vector<Rank>& found) const override {
    found = {1 - rank};
  }
  int out_degree(Rank, std::int64_t) const override { return 1 << 29; }
  int in_degree(Rank, std::int64_t) const override { return 1 << 29; }
};

TEST_CASE("the spectral gap per iteration, compounded over a period, is that of the period") {
  const MixingMatrix pairs = matrix_of(8, OnePeerRingGraph{});
  const double gap = spectral_gap(pairs);
  CHECK(spectral_gap_per_iteration(gap, 2) == about(1 - std::sqrt(1 - gap), precision));
  CHECK(spectral_gap_per_iteration(0.875, 3) == about(0.5, precision));
  CHECK(spectral_gap_per_iteration(gap, 1) == gap);
  CHECK(spectral_gap_per_iteration(1, 4) == 1);
  CHECK(spectral_gap_per_iteration(0, 4) == 0);
}

TEST_CASE("a mixing matrix of too many weights is rejected before it is made") {
  CHECK_THROWS_WITH_AS(spectral_gap(MixingMatrix(std::make_shared<HugeGraph>())),
                       "mixing matrix: iteration 0 has 1073741826 weights, whose messages would take at "
                       "least 429 GB of memory and 54 s; at most 67108864 weights are supported",
                       std::invalid_argument);
}

TEST_CASE("a search for eigenvalues that does not converge is an error") {
  CHECK_THROWS_WITH_AS(
      spectral_gap(matrix_of(1000, RingGraph{}), SpectralMethod::iterative, 1),
      "spectral gap: no convergence after 1 restarts for 1000 workers; its gap is too small for this method",
      std::runtime_error);
}

}  // namespace
}  // namespace starling
