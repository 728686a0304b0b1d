#pragma once

#include <algorithm>

namespace starling {

/// A link that serves messages (or frames) in the order in which their heads reach it: the equation that
/// network models and the testbed's switch share.
struct ServedLink {
  double s_per_byte = 0;
  double latency_s = 0;
  double work_s = 0;  // the end of the work accepted so far

  /// Serves m bytes whose head reaches the link at `head_s` and whose tail follows `transmission_s` later at
  /// the earliest: m times the greatest s_per_byte of the links of the route so far, this one included.
  /// Returns how long they wait for the work before them: work = max(work, head) + m · s_per_byte, wait =
  /// max(0, work − head − transmission), or 0 if the link was idle.
  double serve(double head_s, double bytes, double transmission_s) {
    const bool was_idle = work_s <= head_s;
    work_s = std::max(work_s, head_s) + bytes * s_per_byte;
    return was_idle ? 0.0 : std::max(0.0, work_s - head_s - transmission_s);
  }
};

}  // namespace starling
