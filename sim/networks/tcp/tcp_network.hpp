#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/messages/pool.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/networks/served_link.hpp"
#include "sim/networks/tcp/tcp_options.hpp"

namespace starling {

/// TCP connections without loss, on links that serve frames in FIFO order.
///
/// Every ordered pair of workers has a connection, a stream of bytes that carries its messages one after the
/// other. A connection cuts messages into frames. It sends a frame as long as no more than a window is in
/// flight and no more than a few frames wait for its first link. Every frame passes the links of its route
/// as a message of EventNetwork does. At its destination it is acknowledged by a small frame, which travels
/// back over links and through queues as any other and makes room in the window. Messages between workers of
/// one host do not use TCP: each is one frame without acknowledgment.
///
/// Alone, a message of m bytes takes ΣL + m/b as in EventNetwork, if the window covers bandwidth ×
/// round-trip time. Flows that compete for a link alternate on it frame by frame, and so share it. A small
/// message waits behind the unsent data of its own connection, and behind at most a window of every other
/// one. Data queued in one direction delay the acknowledgments, and so the data, of the other direction.
/// Windows are fixed: congestion control reacts to loss, which does not occur where the queues hold all
/// windows.
///
/// Costs about 2 + 2 × hops agenda entries per frame: O(frames_per_message × hops) for a message of up to
/// frames_per_message quarters of a window, O(m/window × hops) beyond, where EventNetwork costs O(hops).
/// Memory: O(connections in use + frames in flight). References: Jacobson, "Congestion avoidance and
/// control", SIGCOMM 1988; Zhang, Shenker, Clark, "Observations on the dynamics of a congestion control
/// algorithm: the effects of two-way traffic", SIGCOMM 1991.
class TcpNetwork final : public NetworkModel {
 public:
  explicit TcpNetwork(const Routes& routes, const TcpOptions& options = {});

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;
  /// Reports frames and their acknowledgments.
  ReportedByModel report_to(LinkWatch& watch) override {
    watch_ = &watch;
    return ReportedByModel::carrying;
  }
  /// The number of connections kept, including idle ones.
  std::size_t connections() const { return connections_.size(); }

 private:
  struct Unsent {
    Transfer* transfer;
    double bytes;
    double frame_bytes;
  };
  /// A message that the sender's buffer has taken completely once this much of the stream is acknowledged.
  struct Unbuffered {
    Transfer* transfer;
    double acknowledged_bytes;
  };

  struct Departure {
    double time_s;
    double bytes;
  };

  /// One direction of a connection. It is on the agenda for when its first link has room again.
  struct Connection final : TimedAction {
    void happen() override;

    TcpNetwork* network = nullptr;
    /// Whether the connection may be forgotten.
    bool is_idle() const { return unsent.empty() && frames_under_way == 0 && !is_waiting_for_departure; }

    std::span<const LinkIndex> route;
    std::span<const LinkIndex> way_back;
    bool is_within_host = false;
    std::deque<Unsent> unsent;
    std::deque<Unbuffered> unbuffered;
    double sent_bytes = 0;          // of all messages started so far, in flight or not
    double acknowledged_bytes = 0;  // inside a host: bytes that have arrived
    double unacknowledged_bytes = 0;
    std::int64_t frames_under_way = 0;  // or their acknowledgments
    std::deque<Departure> departures;   // of its frames in the first link's queue
    double queued_bytes = 0;            // of these frames
    bool is_waiting_for_departure = false;
  };

  /// A frame of data or its acknowledgment. It is on the agenda for when its head reaches the next link, or
  /// its tail the end of the route.
  struct Frame final : TimedAction {
    void happen() override { connection->network->advance(*this); }

    Connection* connection = nullptr;
    Transfer* completes = nullptr;  // the message whose last bytes these are
    bool is_acknowledgment = false;
    double data_bytes = 0;  // sent or acknowledged
    double wire_bytes = 0;
    std::span<const LinkIndex> rest_of_route;
    double slowest_s_per_byte = 0;  // of the links passed
  };

  Connection& connection(Rank source, Rank destination);
  void forget_idle_connections();
  bool may_send(Connection& connection, double bytes);
  void send(Connection& connection);
  void advance(Frame& frame);
  /// Gives the frame its turn on its next link; returns when its last byte will have left that.
  double pass_link(Frame& frame);
  void arrive(Frame& frame);
  void acknowledge(Frame& frame);
  void leave(Connection& connection);

  const Routes& routes_;
  TcpOptions options_;
  Scheduler* scheduler_ = nullptr;
  std::vector<ServedLink> links_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::size_t most_connections_ = 0;  // at this number, idle connections are forgotten
  Pool<Frame> frames_;
  LinkWatch* watch_ = nullptr;
};

}  // namespace starling
