#pragma once

#include <cstdint>

#include "sim/late_timers.hpp"

namespace starling {

/// What happened in a run.
struct RunStatistics {
  double makespan_s = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;             // without the control messages of rendezvous
  std::uint64_t rendezvous_messages = 0;  // of these
  std::uint64_t evaluated_messages = 0;   // of these: not sent, but accounted for at once
  double bytes = 0;
  LateTimers late_timers = {};  // of a real machine
};

}  // namespace starling
