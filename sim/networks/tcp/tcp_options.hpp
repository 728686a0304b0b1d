#pragma once

#include "base/options/option_visitor.hpp"
#include "sim/messages/transport.hpp"

namespace starling {

/// How the connections of a TcpNetwork behave. The defaults are those of the testbed.
struct TcpOptions {
  /// Most data of a connection that are sent and not yet acknowledged: the least of its windows and buffers.
  double window_bytes = 512 * kibibyte;
  /// Most data in one frame, what a host hands to its network card at once (segmentation offload); never more
  /// than a window.
  double frame_bytes = usual_frame_bytes;
  /// A message that would have more frames than this has larger ones, up to a quarter of the window.
  int frames_per_message = 128;
  /// Of a message of so many bytes.
  double frame_bytes_of(double message_bytes) const;
  /// What the acknowledgment of a frame takes of the links on its way back.
  double acknowledgment_bytes = 66;
  /// Most frames of a connection that wait for the first link of their route (Linux: TCP small queues, which
  /// let a connection queue what its pacing rate makes in about a millisecond): as many bytes as so many
  /// frames of `frame_bytes`, but one frame always. In the testbed at 200 Mb/s, a frame waits 6.4 ms behind
  /// another connection of its host, which is 13 frames.
  int frames_at_first_link = 13;
  double bytes_at_first_link() const { return frames_at_first_link * frame_bytes; }
};

void describe(TcpOptions& options, OptionVisitor& visitor);

}  // namespace starling
