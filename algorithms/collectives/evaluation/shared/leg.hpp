#pragma once

#include "sim/routes.hpp"

namespace starling {

/// When a send is complete: when it is launched, its first byte leaves, all but what a buffer holds of it,
/// and of what its connection sends before it, has left, or it arrives.
enum class SendCompletion { at_launch, at_start, at_departure, at_arrival };

/// A message of a certain size on a certain hop.
struct Leg {
  double transmission_s = 0;
  double latency_s = 0;
  double back_latency_s = 0;
  double protocol_latency_s = 0;  // once it has arrived
  double paced_s = 0;             // the same, because it is in a ring,
  LinkIndex pacing_link = 0;      // of which this is the narrowest link
  double buffered_s = 0;          // how long before the last byte has left the send is complete
  bool is_small = false;
  bool is_rendezvous = false;
  SendCompletion completion = SendCompletion::at_launch;
  /// Whether two sizes are alike in all but how long they take.
  bool is_like(const Leg& other) const {
    return protocol_latency_s == other.protocol_latency_s && is_small == other.is_small &&
           is_rendezvous == other.is_rendezvous && completion == other.completion;
  }
};

/// What becomes of a message.
struct Passage {
  double start_s;     // its first byte leaves,
  double gone_s;      // its last one,
  double arrival_s;   // and arrives
  double complete_s;  // its send is
  bool passes;        // small, it takes no turn on its links
};

}  // namespace starling
