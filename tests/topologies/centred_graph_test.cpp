#include "topologies/centred_graph.hpp"

#include <doctest/doctest.h>

namespace starling {
namespace {

using Ranks = std::vector<Rank>;

TEST_CASE("the centre of a star is joined with all others, which are joined with nobody else") {
  const CentredGraph star(4, 2);
  CHECK(star.neighbours(2, 0) == Ranks{0, 1, 3});
  CHECK(star.neighbours(0, 0) == Ranks{2});
  CHECK(star.out_degree(2, 0) == 3);
  CHECK(CentredGraph(1, 0).neighbours(0, 0).empty());
}

}  // namespace
}  // namespace starling
