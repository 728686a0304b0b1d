#pragma once

namespace starling {

/// The moments of the message that a rank has sent in a step.
struct Sent {
  double launch_s;
  double ready_s;  // it may flow: under rendezvous once its receiver has answered, else from launch_s on
  double arrival_s;
  double complete_s;  // its send is complete
};
inline Sent later(const Sent& sent, double by_s) {
  return {sent.launch_s + by_s, sent.ready_s + by_s, sent.arrival_s + by_s, sent.complete_s + by_s};
}

/// Output arrays for the moments of a step, with one entry per rank. A message that does not wait for
/// earlier messages starts when it is ready. An eager message that does not wait starts when it is
/// launched; its entry of start_s may differ and is to be ignored.
struct StepTimes {
  double* begin_s;    // the step begins
  double* free_s;     // the hop from the rank has transmitted the messages of earlier steps
  double* start_s;    // the first byte of the message that the rank sends leaves
  double* arrival_s;  // the message that the rank sends arrives
};

/// Output arrays for the moments of the messages of a step, with one entry per sender. Entries of ranks that
/// send nothing are meaningless.
struct SentTimes {
  double* ready_s;  // the message may flow: under rendezvous once its receiver has answered
  double* free_s;   // the hop from the rank has transmitted the messages of earlier steps
  double* arrival_s;
};

}  // namespace starling
