#include "algorithms/collectives/schedules/fold.hpp"

#include <doctest/doctest.h>

namespace starling {

TEST_CASE("a power of two of ranks needs no folding") {
  const Fold fold(8);
  CHECK_EQ(fold.core_size(), 8);
  CHECK_EQ(fold.extra_rounds(), 0);
  for (Rank rank = 0; rank < 8; ++rank) CHECK_EQ(fold.core_index(rank), rank);
}

TEST_CASE("of seven ranks the first three pairs fold into their odd members") {
  const Fold fold(7);
  CHECK_EQ(fold.core_size(), 4);
  CHECK_EQ(fold.dimensions(), 2);
  CHECK_FALSE(fold.is_core(0));
  CHECK(fold.is_core(5));
  CHECK(fold.is_core(6));
  CHECK_EQ(fold.core_index(5), 2);
  CHECK_EQ(fold.core_index(6), 3);
}

TEST_CASE("indices in the core of a fold and the ranks behind them agree") {
  for (int ranks = 1; ranks <= 70; ++ranks) {
    const Fold fold(ranks);
    for (int index = 0; index < fold.core_size(); ++index) {
      CHECK(fold.is_core(fold.rank_of(index)));
      CHECK_EQ(fold.core_index(fold.rank_of(index)), index);
    }
  }
}

}  // namespace starling
