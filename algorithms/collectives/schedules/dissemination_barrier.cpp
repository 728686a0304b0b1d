#include "algorithms/collectives/schedules/dissemination_barrier.hpp"

namespace starling {

Round DisseminationBarrier::round(Rank rank, int index) const {
  const Chunk token{.offset = 0, .count = 1};
  const int distance = 1 << index;
  const Rank ahead = rank + distance < ranks_ ? rank + distance : rank + distance - ranks_;
  const Rank behind = rank >= distance ? rank - distance : rank - distance + ranks_;
  return {.send = {.peer = ahead, .chunk = token},
          .receive = {.peer = behind, .chunk = token},
          .action = Round::Action::copy};
}

}  // namespace starling
