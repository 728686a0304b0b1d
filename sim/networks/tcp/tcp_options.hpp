#pragma once

#include "base/options/option_visitor.hpp"
#include "sim/messages/transport.hpp"

namespace starling {

/// How the connections of a TcpNetwork behave. The defaults are those of the testbed.
struct TcpOptions {
  /// The most data of a connection that are sent and not yet acknowledged: the least of its windows and
  /// buffers.
  double window_bytes = 512 * kibibyte;
  /// The most data in one frame, which a host hands to its network card at once (segmentation offload);
  /// never more than a window.
  double frame_bytes = default_frame_bytes;
  /// The most frames of a message: a larger message has larger frames, up to a quarter of the window.
  int frames_per_message = 128;
  /// The frame size for a message of `message_bytes`.
  double frame_bytes_of(double message_bytes) const;
  /// The size of an acknowledgment on the links of its way back.
  double acknowledgment_bytes = 66;
  /// The most frames of a connection that wait for the first link of their route (Linux: TCP small queues,
  /// which let a connection queue what its pacing rate makes in about a millisecond): as many bytes as so
  /// many frames of `frame_bytes`, but always at least one frame. In the testbed at 200 Mb/s, a frame waits
  /// 6.4 ms behind another connection of its host, which is 13 frames.
  int frames_at_first_link = 13;
  double bytes_at_first_link() const { return frames_at_first_link * frame_bytes; }
};

void describe(TcpOptions& options, OptionVisitor& visitor);

}  // namespace starling
