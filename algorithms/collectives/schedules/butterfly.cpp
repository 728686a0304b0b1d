#include "algorithms/collectives/schedules/butterfly.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

std::vector<int> dimensions_of(int ranks, int group_size, std::int64_t iteration) {
  if (!is_power_of_two(ranks)) {
    reject("a butterfly needs a power of two of ranks, got {}", ranks);
  }
  if (!is_power_of_two(group_size) || group_size > ranks) {
    reject("the group size must be a power of two between 1 and {}, got {}", ranks, group_size);
  }
  STARLING_INVARIANT(iteration >= 0);
  std::vector<int> dimensions;
  const int phases = log2_of(group_size);
  for (int phase = 0; phase < phases; ++phase) {
    dimensions.push_back(static_cast<int>((iteration * phases + phase) % log2_of(ranks)));
  }
  return dimensions;
}

}  // namespace

Butterfly::Butterfly(int ranks, int group_size, std::int64_t iteration)
    : ranks_(ranks), dimensions_(dimensions_of(ranks, group_size, iteration)) {}

std::vector<Rank> Butterfly::group_of(Rank rank) const {
  std::vector<Rank> members{rank};
  for (int phase = 0; phase < phases(); ++phase) {
    const std::size_t known = members.size();
    for (std::size_t index = 0; index < known; ++index) members.push_back(partner(members[index], phase));
  }
  std::ranges::sort(members);
  return members;
}

Round ButterflyGroupAllReduce::round(Rank rank, int index) const {
  const Rank partner = butterfly_.partner(rank, index);
  return {.send = {.peer = partner, .chunk = everything()},
          .receive = {.peer = partner, .chunk = everything()},
          .action = Round::Action::reduce};
}

}  // namespace starling
