#include "topologies/graphs/mixing_matrix.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "tests/rounding.hpp"
#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

using Values = std::vector<double>;
using Weights = std::vector<MixingNeighbor>;

constexpr double third = 1.0 / 3;

Values averaged(const MixingMatrix& matrix, const Values& values, int iteration) {
  Values result(values.size());
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    const Rank own = static_cast<Rank>(rank);
    result[rank] = matrix.own_weight(own, iteration) * values[rank];
    for (const auto& [source, weight] : matrix.received_weights(own, iteration)) {
      result[rank] += weight * values[static_cast<std::size_t>(source)];
    }
  }
  return result;
}

Weights sent_weights(const MixingMatrix& matrix, Rank rank, std::int64_t iteration) {
  Weights sent;
  matrix.find_sent_weights(rank, iteration, sent);
  return sent;
}

double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_CASE(
    "by the automatic rule every graph without given weights keeps the mean unless it is irregular and "
    "directed") {
  for (auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    const bool is_irregular = name == "directed edge list";
    const MixingMatrix matrix(std::move(graph));
    CHECK_FALSE(stochastic_problem(matrix, Stochastic::rows).has_value());
    CHECK(stochastic_problem(matrix, Stochastic::doubly).has_value() == is_irregular);
  }
}

TEST_CASE("with push_sum, every graph keeps the sum over all workers") {
  for (auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    CHECK_NOTHROW(
        check_stochastic(MixingMatrix(std::move(graph), MixingRule::push_sum), Stochastic::columns));
  }
}

TEST_CASE("weights sent equal weights received, and single weights agree with both") {
  for (auto& [name, graph] : graphs_of_every_kind()) {
    CAPTURE(name);
    const MixingMatrix matrix(std::move(graph));
    for (int iteration = 0; iteration < matrix.graph().period(); ++iteration) {
      int received = 0;
      int sent = 0;
      for (Rank rank = 0; rank < matrix.graph().workers(); ++rank) {
        REQUIRE(matrix.weight(rank, rank, iteration) == matrix.own_weight(rank, iteration));
        for (const auto& [source, weight] : matrix.received_weights(rank, iteration)) {
          ++received;
          REQUIRE(matrix.weight(rank, source, iteration) == weight);
        }
        for (const auto& [destination, weight] : sent_weights(matrix, rank, iteration)) {
          ++sent;
          REQUIRE(matrix.weight(destination, rank, iteration) == weight);
        }
      }
      REQUIRE(received == sent);
    }
  }
}

TEST_CASE("on any connected undirected graph Metropolis–Hastings is symmetric and keeps the mean") {
  CHECK(rc::check([] {
    const int workers = *rc::gen::inRange(2, 24);
    std::vector<GraphEdge> edges;
    for (Rank rank = 1; rank < workers; ++rank) edges.push_back({*rc::gen::inRange(0, rank), rank, {}});
    const MixingMatrix matrix = matrix_of(workers, EdgeListGraph{edges});
    RC_ASSERT(matrix.rule() == MixingRule::metropolis_hastings);
    RC_ASSERT(!stochastic_problem(matrix, Stochastic::doubly));
    for (const GraphEdge& edge : edges) {
      RC_ASSERT(matrix.weight(edge.source, edge.destination, 0) ==
                matrix.weight(edge.destination, edge.source, 0));
    }
    const auto whole = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(workers),
                                                             rc::gen::inRange(-1000, 1000));
    const Values values(whole.begin(), whole.end());
    // Values up to 1000 lose less than 1e-12 each in one averaging.
    RC_ASSERT(std::abs(mean(averaged(matrix, values, 0)) - mean(values)) < 1e-11);
  }));
}

TEST_CASE("a ring averages with weights of a third, a star by the degree of its center") {
  const MixingMatrix ring = matrix_of(6, RingGraph{});
  CHECK(ring.received_weights(0, 0) == Weights{{1, third}, {5, third}});
  CHECK(ring.own_weight(0, 0) == about(third));
  CHECK(ring.weight(0, 3, 0) == 0);
  const MixingMatrix star = matrix_of(5, StarGraph{});
  CHECK(star.weight(0, 4, 0) == 0.2);
  CHECK(star.own_weight(0, 0) == about(0.2));
  CHECK(star.own_weight(4, 0) == about(0.8));
}

TEST_CASE("averages in groups weigh every member alike") {
  const MixingMatrix matrix(graph_of(8, AlternatingExponentialRingGraph{}, 2));
  CHECK(matrix.own_weight(0, 0) == about(0.5));
  CHECK(matrix.received_weights(0, 1) == Weights{{1, 0.25}, {2, 0.25}, {3, 0.25}});
  CHECK(matrix.own_weight(0, 1) == about(0.25));
  CHECK(matrix_of(8, OnePeerExponentialGraph{}).weight(0, 4, 2) == 0.5);
}

TEST_CASE("the rule uniform gives equal shares to a receiver, push_sum to a sender") {
  const EdgeListGraph graph = {{{0, 1, {}}, {1, 2, {}}, {2, 0, {}}, {0, 2, {}}}, true};
  const MixingMatrix uniform = matrix_of(3, graph, MixingRule::uniform);
  const MixingMatrix push_sum = matrix_of(3, graph, MixingRule::push_sum);
  CHECK(uniform.received_weights(2, 0) == Weights{{0, third}, {1, third}});
  CHECK(uniform.own_weight(2, 0) == third);
  CHECK(push_sum.received_weights(2, 0) == Weights{{0, third}, {1, 0.5}});
  CHECK(push_sum.own_weight(2, 0) == 0.5);
  CHECK(sent_weights(push_sum, 0, 0) == Weights{{1, third}, {2, third}});
}

TEST_CASE("given weights of a graph are its mixing weights") {
  const MixingMatrix matrix = matrix_of(2, EdgeListGraph{{{0, 1, 0.25}}});
  CHECK(matrix.rule() == MixingRule::given);
  CHECK(matrix.received_weights(1, 0) == Weights{{0, 0.25}});
  CHECK(matrix.own_weight(1, 0) == 0.75);
  CHECK_FALSE(stochastic_problem(matrix, Stochastic::doubly).has_value());
  CHECK(matrix_of(2, EdgeListGraph{{{0, 1, 0.25}}}, MixingRule::uniform).own_weight(0, 0) == 0.5);
}

TEST_CASE("a matrix that does not sum as required is named with the worker and the sum") {
  const auto rejected = [](const MixingMatrix& matrix, Stochastic required, const char* text) {
    CHECK_THROWS_WITH_AS(check_stochastic(matrix, required), text, std::invalid_argument);
  };
  const EdgeListGraph lopsided = {{{0, 1, 0.5}, {1, 0, 0.25}}, true};
  CHECK_NOTHROW(check_stochastic(matrix_of(2, lopsided), Stochastic::rows));
  rejected(
      matrix_of(2, lopsided), Stochastic::columns,
      "mixing matrix: the weights given to worker 0's model in iteration 0 sum to 1.25, but must sum to 1");
  rejected(
      matrix_of(2, lopsided), Stochastic::doubly,
      "mixing matrix: the weights given to worker 0's model in iteration 0 sum to 1.25, but must sum to 1");
  rejected(
      matrix_of(2, EdgeListGraph{{{0, 1, 0.5}, {1, 1, 0.75}}}), Stochastic::rows,
      "mixing matrix: the weights that worker 1 averages with in iteration 0 sum to 1.25, but must sum to "
      "1");
  rejected(matrix_of(2, EdgeListGraph{{{0, 1, 1.5}}}), Stochastic::columns,
           "mixing matrix: the own weight of worker 0 in iteration 0 is -0.5, but must be at least 0");
  rejected(matrix_of(3, StarGraph{}, MixingRule::uniform), Stochastic::doubly,
           "mixing matrix: the weights given to worker 0's model in iteration 0 sum to 1.3333333333333333, "
           "but must sum to 1");
}

TEST_CASE("a mixing rule that does not fit the graph is rejected") {
  CHECK_THROWS_WITH_AS(
      matrix_of(6, ExponentialGraph{}, MixingRule::metropolis_hastings),
      "mixing matrix: metropolis_hastings needs an undirected graph; uniform and push_sum do not",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(matrix_of(6, RingGraph{}, MixingRule::given),
                       "mixing matrix: no weights are given with the graph", std::invalid_argument);
}

}  // namespace
}  // namespace starling
