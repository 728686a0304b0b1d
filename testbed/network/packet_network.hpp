#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/agenda/agenda.hpp"
#include "sim/networks/served_link.hpp"
#include "testbed/network/host_routes.hpp"

namespace starling {

/// The unit that a host puts on its link: an Ethernet packet, or a run of packets of one TCP connection that
/// the kernel hands over as a whole (segmentation offload).
struct Frame {
  int source_host = 0;
  int destination_host = 0;
  /// The size on the wire of all its packets, headers included.
  std::int64_t wire_bytes = 0;
  /// A buffer whose first `content_bytes` bytes were read from the source's device and will be written to the
  /// destination's.
  std::vector<std::byte> content;
  std::size_t content_bytes = 0;
};

/// When a switch begins to forward a packet.
enum class Switching {
  cut_through,        /// When the head of the packet has arrived, as NetworkModels assume.
  store_and_forward,  /// When all of the packet has arrived, as in many Ethernet switches.
};

/// The size on the wire of a packet with 1448 bytes of data and the headers of Ethernet, IPv4 and TCP with
/// timestamps.
constexpr std::int64_t packet_bytes = 1514;

struct PacketNetworkOptions {
  /// The most bytes that may wait at a link; must hold at least one frame.
  std::int64_t queue_bytes = 0;
  /// The largest size of a packet on the wire; used by store_and_forward only.
  std::int64_t largest_packet_bytes = packet_bytes;
  Switching switching = Switching::cut_through;
};

/// The traffic of one link so far.
struct LinkCounters {
  std::int64_t frames = 0;
  std::int64_t bytes = 0;
  std::int64_t dropped_frames = 0;
  std::int64_t longest_queue_bytes = 0;
};

/// A network of directed links that carry frames: the forwarding core of the testbed's switch. It has no
/// clock: the caller passes the time, which must not decrease.
///
/// Links serve frames in the order in which their heads arrive. A frame of m bytes whose head reaches link k
/// at time head_k queues behind the work of earlier frames: work_k = max(work_k, head_k) + m/B_k wait_k =
/// max(0, work_k − head_k − m/b_k) head_{k+1} = head_k + wait_k + p/B_k + L_k with B_k and L_k the link's
/// bandwidth and latency, b_k the least bandwidth of the route up to k, and p 0 where switches cut through,
/// the bytes of the first packet where they store and forward. It is delivered (m − p)/b after its head. So,
/// alone, it takes m/b + ΣL, or p Σ1/B + (m − p)/b + ΣL; a link never idles while work waits; and frames that
/// come in slowly share a fast link packet by packet. A frame that does not fit into queue_bytes together
/// with the unsent work at a link is dropped. These are the equations of EventNetwork, applied to frames.
class PacketNetwork {
 public:
  /// Called for each frame whose tail reached its destination at time `due_s`. The frame is reused
  /// afterwards.
  using Deliver = std::function<void(double due_s, const Frame& frame)>;

  PacketNetwork(const HostRoutes& routes, const PacketNetworkOptions& options, Deliver deliver);
  ~PacketNetwork();
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// A frame to fill and send; returns the same one until it is sent.
  Frame& spare_frame();
  /// Sends the spare frame, of at least one byte, from its source to another host at time now_s. advance()
  /// must have delivered all frames due before.
  void send_spare(double now_s);

  /// Processes all events up to now_s.
  void advance(double now_s);
  /// The time of the next event; nothing if no frame is in flight.
  std::optional<double> next_time_s() const;

  std::span<const LinkCounters> counters() const { return counters_; }

 private:
  class Flight;

  void arrive(Flight& flight);
  void pass_link(Flight& flight, LinkIndex index);
  std::int64_t packet_bytes(const Frame& frame) const;
  void recycle(Flight& flight);

  HostRoutes routes_;
  PacketNetworkOptions options_;
  Deliver deliver_;
  std::vector<ServedLink> links_;
  std::vector<LinkCounters> counters_;
  Agenda agenda_;
  std::vector<std::unique_ptr<Flight>> flights_;
  std::vector<Flight*> spare_;
};

}  // namespace starling
