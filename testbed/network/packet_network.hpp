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

/// What a host puts on its link at once: an Ethernet packet, or a run of packets of one TCP connection that
/// the kernel handed over as one.
struct Frame {
  int source_host = 0;
  int destination_host = 0;
  /// What all its packets with their headers are on the wire.
  std::int64_t wire_bytes = 0;
  /// What was read from the source's device and is to be written to the destination's: its first
  /// `content_bytes`; its size is its capacity.
  std::vector<std::byte> content;
  std::size_t content_bytes = 0;
};

/// When a switch begins to pass a packet on.
enum class Switching {
  cut_through,        ///< As soon as the packet's head is there: what NetworkModels assume.
  store_and_forward,  ///< When all of the packet is there, as many Ethernet switches do.
};

/// Ethernet, IPv4 and TCP with time stamps: what a packet of 1448 bytes of data is on the wire.
constexpr std::int64_t packet_bytes = 1514;

struct PacketNetworkOptions {
  /// What may wait at a link, at least one frame.
  std::int64_t queue_bytes = 0;
  /// What one packet is at most on the wire; matters to store-and-forward only.
  std::int64_t largest_packet_bytes = packet_bytes;
  Switching switching = Switching::cut_through;
};

/// What a link has done.
struct LinkCounters {
  std::int64_t frames = 0;
  std::int64_t bytes = 0;
  std::int64_t dropped_frames = 0;
  std::int64_t longest_queue_bytes = 0;
};

/// A network of directed links that carry frames, each in its own time: the forwarding core of the testbed's
/// switch. Knows no clock: whoever calls tells the time, which must not go back.
///
/// Links serve frames in the order in which their heads reach them. A frame of m bytes whose head is at link
/// k at time head_k finds the work of those before it:
///   work_k = max(work_k, head_k) + m/B_k
///   wait_k = max(0, work_k − head_k − m/b_k)
///   head_{k+1} = head_k + wait_k + p/B_k + L_k
/// with B_k and L_k the link's bandwidth and latency, b_k the least bandwidth of the route up to k, and p 0
/// where switches cut through, the bytes of the first packet where they store and forward. It is delivered (m
/// − p)/b after its head. So, alone, it takes m/b + ΣL, or p Σ1/B + (m − p)/b + ΣL; a link never idles while
/// work waits; and frames that come in slowly share a fast link packet by packet. A frame that does not fit
/// into queue_bytes together with the unsent work at a link is dropped. These are the equations of
/// EventNetwork, applied to frames.
class PacketNetwork {
 public:
  /// Called for a frame whose tail is at its destination since `due_s`. The frame is reused afterwards.
  using Deliver = std::function<void(double due_s, const Frame& frame)>;

  PacketNetwork(const HostRoutes& routes, const PacketNetworkOptions& options, Deliver deliver);
  ~PacketNetwork();
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// An empty frame to fill and send; the same one again until it is sent.
  Frame& spare_frame();
  /// Sends the spare frame, of at least one byte, from its source to another host, at once. Frames that were
  /// due must have been delivered.
  void send_spare(double now_s);

  /// Lets all happen that is due by then.
  void advance(double now_s);
  /// When something happens next; nothing if no frame is under way.
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
