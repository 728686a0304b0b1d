#include "topologies/graphs/grid_graph.hpp"

#include <doctest/doctest.h>

#include "tests/topologies/graphs/graphs.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

TEST_CASE("a torus or mesh graph joins exactly the workers that a network of that kind cables") {
  for (const std::vector<int>& dimensions : {std::vector{4, 3, 2}, {5, 1, 2}, {3, 3}, {6}, {2, 2}}) {
    for (const bool is_closed : {false, true}) {
      const GridGraph graph(dimensions, is_closed);
      const int workers = graph.workers();
      const Network network =
          is_closed ? network_of(workers, TorusOptions{.dimensions = dimensions, .link = test_link})
                    : network_of(workers, MeshOptions{.dimensions = dimensions, .link = test_link});
      for (Rank rank = 0; rank < workers; ++rank) {
        Ranks one_link_away;
        for (Rank other = 0; other < workers; ++other) {
          if (other != rank && length(network, rank, other) == 1) one_link_away.push_back(other);
        }
        CHECK(graph.neighbors(rank, 0) == one_link_away);
      }
    }
  }
}

TEST_CASE("without dimensions, a grid is as square as the number of workers lets it be") {
  CHECK(graph_of(24, Mesh2dGraph{})->neighbors(0, 0) == Ranks{1, 6});
  CHECK(graph_of(7, Mesh2dGraph{})->neighbors(3, 0) == Ranks{2, 4});
  CHECK(graph_of(24, TorusGraph{})->neighbors(0, 0) == Ranks{1, 5, 6, 18});
  CHECK(graph_of(24, Mesh2dGraph{{{8, 3}}})->neighbors(0, 0) == Ranks{1, 3});
}

}  // namespace
}  // namespace starling
