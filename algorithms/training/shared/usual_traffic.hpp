#pragma once

#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// About what an algorithm's workers send in a usual iteration, from which follows beforehand what runs take.
struct UsualTraffic {
  struct Collective {
    const Schedule* schedule;
    double times;  // in an iteration
  };
  std::vector<Collective> collectives = {};
  /// Beside these, by a worker on average: messages, and how many models they hold together.
  double messages = 0;
  double models = 0;

  void add(const Schedule& schedule, double times = 1) { collectives.push_back({&schedule, times}); }
};

}  // namespace starling
