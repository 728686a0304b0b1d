#include "algorithms/collectives/schedules/grouped_schedule.hpp"

namespace starling {

Round GroupedSchedule::round(Rank rank, int index) const {
  const std::span<const Rank> members = partition_.members_with(rank);
  const auto in_world = [&](Transmission& transmission) {
    if (transmission.peer >= 0) transmission.peer = members[static_cast<std::size_t>(transmission.peer)];
  };
  Round round = schedule(rank).round(partition_.index_of(rank), index);
  in_world(round.send);
  in_world(round.receive);
  return round;
}

}  // namespace starling
