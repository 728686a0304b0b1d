#include "algorithms/collectives/schedules/fold.hpp"

namespace starling {

Round Fold::round_before(Rank rank, const Chunk& everything) const {
  if (!has_neighbor(rank)) return {};
  if (is_core(rank)) {
    return {.receive = {.peer = rank - 1, .chunk = everything}, .action = Round::Action::reduce};
  }
  return {.send = {.peer = rank + 1, .chunk = everything}};
}

Round Fold::round_after(Rank rank, const Chunk& everything) const {
  if (!has_neighbor(rank)) return {};
  if (is_core(rank)) return {.send = {.peer = rank - 1, .chunk = everything}};
  return {.receive = {.peer = rank + 1, .chunk = everything}, .action = Round::Action::copy};
}

}  // namespace starling
