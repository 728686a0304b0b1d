#pragma once

#include <algorithm>

namespace starling {

/// A link that serves what comes in the order in which heads reach it: the equation that network models and
/// the testbed's switch share.
struct ServedLink {
  double s_per_byte = 0;
  double latency_s = 0;
  double work_s = 0;  // busy until then

  /// Serves m bytes whose head is here at `head_s` and whose tail can follow after `transmission_s` at the
  /// earliest: m times the s_per_byte of the slowest link of the way so far, this one included. Returns how
  /// long they wait for those before them: work = max(work, head) + m · s_per_byte, wait = max(0, work − head
  /// − transmission).
  double serve(double head_s, double bytes, double transmission_s) {
    const bool was_idle = work_s <= head_s;
    work_s = std::max(work_s, head_s) + bytes * s_per_byte;
    return was_idle ? 0.0 : std::max(0.0, work_s - head_s - transmission_s);
  }
};

}  // namespace starling
