#include "topologies/graphs/centered_graph.hpp"

#include <doctest/doctest.h>

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

TEST_CASE("the center of a star graph is a neighbor of all others, which have no other neighbor") {
  const CenteredGraph star(4, 2);
  CHECK(star.neighbors(2, 0) == Ranks{0, 1, 3});
  CHECK(star.neighbors(0, 0) == Ranks{2});
  CHECK(star.out_degree(2, 0) == 3);
  CHECK(CenteredGraph(1, 0).neighbors(0, 0).empty());
}

}  // namespace
}  // namespace starling
