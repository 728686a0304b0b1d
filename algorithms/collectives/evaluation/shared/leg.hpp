#pragma once

#include "sim/routes.hpp"

namespace starling {

/// When a send is complete: when it is launched; when its first byte leaves; when no more of it, and of
/// earlier messages of its connection, is left to send than the send buffer holds; or when it arrives.
enum class SendCompletion { at_launch, at_start, at_departure, at_arrival };

/// A message of a certain size on a certain hop.
struct Leg {
  double transmission_s = 0;
  double latency_s = 0;
  double back_latency_s = 0;
  double protocol_latency_s = 0;  // from arrival until the protocol makes the data readable
  double paced_s = 0;             // more of this delay, as a paced ring is as slow as its narrowest link,
  LinkIndex pacing_link = 0;      // which is this one
  double buffered_s = 0;          // how long before its last byte leaves the send is complete (at_departure)
  bool is_small = false;          // at most one packet, see SmallMessageRules
  bool is_rendezvous = false;
  SendCompletion completion = SendCompletion::at_launch;
  /// Whether the two messages differ only in their transmission and pacing times, that is, in size.
  bool is_like(const Leg& other) const {
    return protocol_latency_s == other.protocol_latency_s && is_small == other.is_small &&
           is_rendezvous == other.is_rendezvous && completion == other.completion;
  }
};

/// The moments of the transfer of a message.
struct Passage {
  double start_s;     // its first byte leaves the sender
  double gone_s;      // its last byte leaves the sender
  double arrival_s;   // its last byte arrives
  double complete_s;  // its send is complete
  bool passes;        // it is small and does not queue for its links
};

}  // namespace starling
