#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "sim/messages/protocol.hpp"

namespace starling {

/// What a message costs at its two ends.
struct MessageCosts {
  /// o: how long a worker's message processor is busy with each message, on sending and again on receiving.
  double overhead_s = 0;
  /// γ: seconds per byte of local reduction.
  double reduction_s_per_byte = 0;
  /// Messages of more bytes than this wait for their receiver (rendezvous): request, answer, data.
  double eager_threshold_bytes = std::numeric_limits<double>::infinity();
  /// Messages of collectives wait for no receiver, however large: in NCCL they are pieces that follow each
  /// other through the buffers of their connection, with no request for each message.
  bool are_collectives_eager = false;
  /// Rings of all workers have one protocol, and one rate on all their hops, inside hosts and between them:
  /// NCCL gives that of the narrowest to the channels of a ring, so what its steps take to begin adds to the
  /// time of all its bytes.
  bool are_rings_paced = false;
  /// Sending is complete when no more than this is left to send: what the host's buffers hold for a
  /// connection.
  double send_buffer_bytes = std::numeric_limits<double>::infinity();
  /// Streams between two workers, each with a window of its own.
  int channels = 1;
  /// What messages may be written as; none: as they are.
  std::vector<Protocol> protocols = {};
  /// How long it takes until a worker notices that a message has arrived or a send is complete: exponentially
  /// distributed, the mean. What happens meanwhile is noticed at the same time.
  double wake_up_s = 0;
  /// The seed of these random times.
  std::uint64_t seed = 1;

  /// eager_threshold_bytes for messages of collectives.
  double eager_in_collectives_bytes() const {
    return are_collectives_eager ? std::numeric_limits<double>::infinity() : eager_threshold_bytes;
  }
};

void describe(MessageCosts& costs, OptionVisitor& visitor);

}  // namespace starling
