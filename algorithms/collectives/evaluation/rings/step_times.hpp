#pragma once

namespace starling {

/// What a rank has sent in a step.
struct Sent {
  double launch_s;
  double ready_s;  // to flow, once its receiver is
  double arrival_s;
  double complete_s;
};
inline Sent later(const Sent& sent, double by_s) {
  return {sent.launch_s + by_s, sent.ready_s + by_s, sent.arrival_s + by_s, sent.complete_s + by_s};
}

/// Where to write what all ranks did in a step, P entries each. A message that does not wait for those before
/// it starts when it is ready; an eager one among these starts when it is launched, whatever is written here.
struct StepTimes {
  double* begin_s;
  double* free_s;  // the hop from the rank, from what was sent before
  double* start_s;
  double* arrival_s;
};

/// Where to write when what ranks have sent in a step is sent, P entries each. Entries of ranks that send
/// nothing mean nothing.
struct SentTimes {
  double* ready_s;  // to flow, once its receiver is
  double* free_s;   // the hop from the rank, from what was sent before
  double* arrival_s;
};

}  // namespace starling
