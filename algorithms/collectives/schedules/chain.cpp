#include "algorithms/collectives/schedules/chain.hpp"

namespace starling {

int ChainBroadcast::rounds(Rank rank) const {
  if (ranks() == 1) return 0;
  return rank < ranks() - 1 ? segments_.chunks() + rank : segments_.chunks() + rank - 1;
}

/// A segment advances by one rank in each round, so rank r receives the first segment in round r − 1.
Round ChainBroadcast::round(Rank rank, int index) const {
  Round round;
  const int sent = index - rank;
  const int received = sent + 1;
  if (rank > 0 && received >= 0 && received < segments_.chunks())
    round.receive = {.peer = rank - 1, .chunk = segments_.chunk(received)};
  if (rank < ranks() - 1 && sent >= 0) round.send = {.peer = rank + 1, .chunk = segments_.chunk(sent)};
  return round;
}

}  // namespace starling
