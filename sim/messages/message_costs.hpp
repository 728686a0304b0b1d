#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "sim/messages/protocol.hpp"

namespace starling {

/// What a message costs at its two ends, sender and receiver.
struct MessageCosts {
  /// o: how long each message occupies a worker's message processor, on sending and again on receiving.
  double overhead_s = 0;
  /// γ: seconds per byte of local reduction.
  double reduction_s_per_byte = 0;
  /// Messages of more bytes than this go by rendezvous: request, answer, data.
  double eager_threshold_bytes = std::numeric_limits<double>::infinity();
  /// Messages of collectives are eager, however large: in NCCL they are pieces that follow each other
  /// through the buffers of their connection, without a request for each.
  bool are_collectives_eager = false;
  /// In a ring of all workers, one protocol and one rate apply to all hops, inside hosts and between them.
  /// NCCL gives the channels of a ring the rate of the narrowest hop, so that the start-up times of a ring's
  /// steps add to the transfer time of all its bytes.
  bool are_rings_paced = false;
  /// A send is complete once at most this many bytes are left to send: the size of the buffer that a host
  /// has for a connection.
  double send_buffer_bytes = std::numeric_limits<double>::infinity();
  /// Number of parallel streams between two workers, each with a window of its own.
  int channels = 1;
  /// Requests, answers and other small messages wait behind the data of their pair if that has one stream.
  /// MPI over TCP sends everything in order; other transports have separate queues, or let the receiver read.
  bool sends_all_in_order = false;
  /// The protocols that may carry a message; empty: messages are sent as they are.
  std::vector<Protocol> protocols = {};
  /// The mean time until a worker notices that a message has arrived or that a send is complete;
  /// exponentially distributed. Events that occur during this time are noticed together with the first.
  double wake_up_s = 0;
  /// The seed of the random times of wake_up_s.
  std::uint64_t seed = 1;

  /// Whether the requests, answers and small messages of a pair have a channel of their own beside its data;
  /// this may be one of several streams.
  bool has_control_channel() const { return channels > 1 || !sends_all_in_order; }

  /// eager_threshold_bytes for messages of collectives.
  double eager_in_collectives_bytes() const {
    return are_collectives_eager ? std::numeric_limits<double>::infinity() : eager_threshold_bytes;
  }
};

void describe(MessageCosts& costs, OptionVisitor& visitor);

}  // namespace starling
