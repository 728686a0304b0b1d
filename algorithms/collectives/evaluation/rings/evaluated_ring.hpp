#pragma once

#include <vector>

#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_chunks.hpp"

namespace starling {

/// A ring whose beginning is known: all else follows.
struct EvaluatedRing {
  ChunkSizes chunks;
  int first_step = 0;
  int end_step = 0;
  std::vector<RankState> before = {};
  std::vector<RankState> after = {};
};

}  // namespace starling
