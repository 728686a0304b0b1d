#include "sim/networks/tcp/tcp_options.hpp"

#include <algorithm>

namespace starling {

double TcpOptions::frame_bytes_of(double message_bytes) const {
  const double larger = std::min(message_bytes / frames_per_message, window_bytes / 4);
  return std::min(window_bytes, std::max(frame_bytes, larger));
}

void describe(TcpOptions& options, OptionVisitor& visitor) {
  constexpr int most_frames = 1 << 20;
  visitor.size(
      {"window",
       "most data of a connection (one direction between two workers) that are sent and not yet "
       "acknowledged: the least of its windows and buffers; a connection passes at most a window per "
       "round trip"},
      options.window_bytes, sizes_from(1));
  visitor.size(
      {"frame",
       "most data that a host hands to its network card at once, by default eight packets; flows that "
       "share a link take turns by frames"},
      options.frame_bytes, sizes_from(1));
  visitor.integer({"frames_per_message",
                   "most frames of a message: longer messages have larger frames, up to a quarter of the "
                   "window, as frames must fit in it; beyond this many quarters (by default 17 MB) the "
                   "number of frames, and the cost of simulating them, grows with the message again"},
                  options.frames_per_message, {1, most_frames});
  visitor.size({"acknowledgment", "size of the acknowledgment of a frame on the links of its way back"},
               options.acknowledgment_bytes);
  visitor.integer(
      {"frames_at_first_link",
       "most frames of a connection that wait for the first link of their route (Linux: TCP small queues); "
       "where frames are larger, the same number of bytes, but at least one frame"},
      options.frames_at_first_link, {1, most_frames});
}

}  // namespace starling
