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

}  // namespace starling
