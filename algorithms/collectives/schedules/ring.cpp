#include "algorithms/collectives/schedules/ring.hpp"

namespace starling {

std::string RingSchedule::name() const {
  switch (phase_) {
    case Phase::reduce_scatter:
      return "ring reduce-scatter";
    case Phase::allgather:
      return "ring all-gather";
    case Phase::allreduce:
      break;
  }
  return "ring all-reduce";
}

Round RingSchedule::round(Rank rank, int index) const {
  const Ring ring(rank, ranks());
  const int step = first_step() + index;
  return {.send = {.peer = ring.right(), .chunk = chunks_.chunk(ring.behind(step + 1))},
          .receive = {.peer = ring.left(), .chunk = chunks_.chunk(ring.behind(step + 2))},
          .action = reduces(step, ranks()) ? Round::Action::reduce : Round::Action::copy};
}

}  // namespace starling
