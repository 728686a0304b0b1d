#pragma once

#include <algorithm>

#include "sim/agenda/causes.hpp"

namespace starling {

/// A unit of a worker that serves one request after the other.
class SerialResource {
 public:
  /// Books the next `duration_s` seconds that are free from now on. Returns when they end.
  double book(double now_s, double duration_s) { return free_s_ = std::max(now_s, free_s_) + duration_s; }

  /// The last step that it did, for whoever finds out why; see Causes.
  Causes::Turn turn;

 private:
  double free_s_ = 0;
};

}  // namespace starling
