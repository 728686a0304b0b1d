#include <doctest/doctest.h>

#include <limits>

#include "tests/topologies/graphs/graphs.hpp"

namespace starling {
namespace {

void rejected(const char* text, int workers, const CommunicationGraphKind& kind, int workers_per_host = 1) {
  CHECK_THROWS_WITH_AS(graph_of(workers, kind, workers_per_host), text, std::invalid_argument);
}

TEST_CASE("graphs whose options do not fit are rejected with what would be accepted") {
  rejected("graph: the number of workers must be at least 1, got 0", 0, RingGraph{});
  rejected("graph: workers per host must be at least 1, got 0", 4, RingGraph{}, 0);
  rejected("graph star: center must be a rank, 0 to 3, got 4", 4, StarGraph{4});
  rejected("graph star: center must be a rank, 0 to 3, got -1", 4, StarGraph{-1});
  rejected("graph mesh_2d: dimensions 3 × 3 hold 9 workers, but there are 8", 8, Mesh2dGraph{{{3, 3}}});
  rejected("graph mesh_2d: each dimension must be at least 1, got -2", 8, Mesh2dGraph{{{-2, -4}}});
  rejected("graph torus: dimensions 2 × 2 × 3 hold 12 workers, but there are 8", 8, TorusGraph{{2, 2, 3}});
  rejected("graph torus: each dimension must be at least 1, got 0", 8, TorusGraph{{8, 0}});
  rejected("graph hypercube: the number of workers must be a power of two, got 6", 6, HypercubeGraph{});
  rejected("graph exponential: base must be at least 2, got 1", 6, ExponentialGraph{1});
  rejected("graph symmetric_exponential: base must be at least 2, got 0", 6, SymmetricExponentialGraph{0});
}

TEST_CASE("time-varying graphs whose options do not fit are rejected") {
  rejected("graph one_peer_ring: the number of workers must be even, got 5", 5, OnePeerRingGraph{});
  rejected(
      "graph one_peer_exponential: with pairs \"exchange\" the number of workers must be a power of two, got "
      "6",
      6, OnePeerExponentialGraph{ExponentialPairs::exchange});
  rejected("graph one_peer_exponential: peers must be between 1 and 3 for 6 workers, got 4", 6,
           OnePeerExponentialGraph{.peers = 4});
  rejected("graph one_peer_exponential: peers must be between 1 and 1 for 1 workers, got 0", 1,
           OnePeerExponentialGraph{.peers = 0});
  rejected("graph alternating_exponential_ring: 10 workers do not fill hosts of 4", 10,
           AlternatingExponentialRingGraph{}, 4);
  rejected("graph alternating_exponential_ring: the number of hosts must be at least 2, got 1", 4,
           AlternatingExponentialRingGraph{}, 4);
  rejected("graph alternating_exponential_ring: the number of hosts must be a power of two, got 3", 12,
           AlternatingExponentialRingGraph{}, 4);
}

TEST_CASE("random graphs whose options do not fit are rejected") {
  rejected("graph random_regular: degree must be at least 1, got 0", 6, RandomRegularGraph{0});
  rejected("graph random_regular: degree must be less than the number of workers, 6, got 6", 6,
           RandomRegularGraph{6});
  rejected("graph random_regular: workers times degree must be even, got 7 × 3", 7, RandomRegularGraph{3});
  rejected(
      "graph random_regular: 200000 workers with 60000 neighbors each have too many weights; at most "
      "67108864 are "
      "supported",
      200'000, RandomRegularGraph{60'000});
  rejected(
      "graph random_regular: none of 100 random graphs of 4 workers is connected; give workers more "
      "neighbors",
      4, RandomRegularGraph{1});
  for (const int neighbors : {0, 3, 6, 8}) {
    rejected(("graph small_world: neighbors must be even, at least 2 and less than the number of workers, 6, "
              "got " +
              std::to_string(neighbors))
                 .c_str(),
             6, SmallWorldGraph{neighbors});
  }
  rejected("graph small_world: rewiring probability must be between 0 and 1, got 1.5", 6,
           SmallWorldGraph{.rewiring_probability = 1.5});
  rejected("graph small_world: rewiring probability must be between 0 and 1, got nan", 6,
           SmallWorldGraph{.rewiring_probability = std::numeric_limits<double>::quiet_NaN()});
}

}  // namespace
}  // namespace starling
