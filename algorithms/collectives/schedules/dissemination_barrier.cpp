#include "algorithms/collectives/schedules/dissemination_barrier.hpp"

namespace starling {

Round DisseminationBarrier::round(Rank rank, int index) const {
  const int distance = 1 << index;
  const Rank ahead = rank + distance < ranks() ? rank + distance : rank + distance - ranks();
  const Rank behind = rank >= distance ? rank - distance : rank - distance + ranks();
  return {.send = {.peer = ahead, .chunk = everything()},
          .receive = {.peer = behind, .chunk = everything()},
          .action = Round::Action::copy};
}

}  // namespace starling
