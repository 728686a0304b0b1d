#pragma once

#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// The approximate traffic of a typical iteration, from which the effort of a simulation is estimated before
/// it runs.
struct TypicalTraffic {
  struct Collective {
    const Schedule* schedule;
    double times;  // runs per iteration
  };
  std::vector<Collective> collectives = {};
  /// Further messages of one worker per iteration, on average, and the number of models that they carry
  /// together.
  double messages = 0;
  double models = 0;

  void add(const Schedule& schedule, double times = 1) { collectives.push_back({&schedule, times}); }
};

}  // namespace starling
