#include "algorithms/collectives/schedules/chain.hpp"

namespace starling {

int ChainBroadcast::rounds(Rank rank) const {
  if (ranks_ == 1) return 0;
  return segments_.chunks() + (is_between(rank) ? 1 : 0);
}

Round ChainBroadcast::round(Rank rank, int index) const {
  Round round;
  const int sent = rank == 0 ? index : index - 1;
  if (rank > 0 && index < segments_.chunks())
    round.receive = {.peer = rank - 1, .chunk = segments_.chunk(index)};
  if (rank < ranks_ - 1 && sent >= 0) round.send = {.peer = rank + 1, .chunk = segments_.chunk(sent)};
  return round;
}

}  // namespace starling
