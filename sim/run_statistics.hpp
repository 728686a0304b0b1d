#pragma once

#include <cstdint>

#include "sim/late_timers.hpp"

namespace starling {

/// Counters of a run.
struct RunStatistics {
  double makespan_s = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;             // without the requests and answers of rendezvous
  std::uint64_t rendezvous_messages = 0;  // of `messages`
  std::uint64_t evaluated_messages = 0;   // of `messages`: evaluated together instead of sent one by one
  double bytes = 0;
  LateTimers late_timers = {};  // on a real machine only
};

}  // namespace starling
