#pragma once

#include <algorithm>

#include "sim/agenda/causal_log.hpp"

namespace starling {

/// A unit of a worker that serves one request after the other, in FIFO order.
class SerialResource {
 public:
  /// Books the first `duration_s` seconds that are free from now_s on. Returns their end.
  double book(double now_s, double duration_s) { return free_s_ = std::max(now_s, free_s_) + duration_s; }

  /// The last step of this resource; see the CausalLog.
  CausalLog::Turn turn;

 private:
  double free_s_ = 0;
};

}  // namespace starling
