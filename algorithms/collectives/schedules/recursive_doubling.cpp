#include "algorithms/collectives/schedules/recursive_doubling.hpp"

namespace starling {

Round RecursiveDoublingAllReduce::round(Rank rank, int index) const {
  const int dimension = index - fold_.extra_rounds();
  if (dimension < 0) return fold_.round_before(rank, everything());
  if (dimension >= fold_.dimensions()) return fold_.round_after(rank, everything());
  if (!fold_.is_core(rank)) return {};

  const Rank partner = fold_.rank_of(fold_.core_index(rank) ^ (1 << dimension));
  return {.send = {.peer = partner, .chunk = everything()},
          .receive = {.peer = partner, .chunk = everything()},
          .action = Round::Action::reduce};
}

}  // namespace starling
