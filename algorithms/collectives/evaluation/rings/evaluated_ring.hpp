#pragma once

#include <vector>

#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_chunks.hpp"

namespace starling {

/// An evaluated ring: its steps first_step … end_step − 1 can be computed again from the states before them.
struct EvaluatedRing {
  ChunkSizes chunks;
  int first_step = 0;
  int end_step = 0;
  std::vector<RankState> before = {};  // by rank: before first_step
  std::vector<RankState> after = {};   // by rank: after the last step
};

}  // namespace starling
