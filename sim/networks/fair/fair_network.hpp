#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/simultaneous.hpp"
#include "sim/messages/pool.hpp"
#include "sim/networks/fair/fair_connection.hpp"
#include "sim/networks/fair/fair_options.hpp"
#include "sim/networks/fair/fair_shares.hpp"
#include "sim/networks/fair/pair_table.hpp"
#include "sim/networks/link_watch.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/random.hpp"

namespace starling {

/// The present rate of a connection.
struct ConnectionRate {
  Rank source;
  Rank destination;
  double rate_Bps;
};

/// Connections that share links max-min fairly, the goal of congestion control, as fluids.
///
/// Every ordered pair of workers has a connection, a stream of bytes that carries its messages one after the
/// other. A message that begins to flow at t flows on all links of its route at once, at the rate that
/// FairShares gives its connection. If it ends at e it arrives at e + α, α the sum of the latencies. Alone
/// it thus takes α + βm, β the reciprocal of the least bandwidth. A message of at most a packet of 1,500
/// bytes that finds its connection idle takes α + βm whatever else flows, and takes no bandwidth from
/// others. On a busy connection so does one where small messages have a channel of their own
/// (FairOptions::has_control_channel); else it waits its turn, as requests, answers and acknowledgments of
/// MPI over TCP do.
///
/// While a message is the only one on each link of its route, its end is known at once: one entry of the
/// agenda and O(hops) steps per message. Others cost what FairShares costs for a start and for an end; all
/// that happens at one moment is computed once. Memory: O(links + active connections + workers).
///
/// Real connections do not share the link of their own host evenly. With an unevenness u, whenever a
/// connection begins to share links, among them the first link of its route, it draws a weight uniformly
/// from 1 ± u; of two connections on a link, one then gets up to (1+u)/2. Without unevenness, connections
/// that begin together would end together for ever. Connections of different hosts share evenly where they
/// meet, with one exception: a connection that also queues at its own host's link has less of its window
/// where it meets others, and so a smaller share there (FairOptions::queued_at_first_link).
///
/// A window W lets the first W bytes through without waiting, then W bytes per round trip: α there and back,
/// and the transmission of a frame, or of W if that is less. For whole windows that is TCP's own closed
/// form. Messages that end at the same moment, but for rounding (2^-43 of the time), arrive in the order in
/// which they were sent if their α are equal.
///
/// A rate limit of connections holds from the first byte on, as if the route of each ended with a link of
/// its own of that bandwidth, without latency; weights do not count that link. With both, the first window
/// passes at the rate limit, then W bytes per round trip, in which a frame takes its time at the rate limit,
/// or the rate limit applies where it is less. Each of several streams has such a window and such a rate
/// limit; without a rate limit, a frame takes its time at the rate of all streams together.
///
/// References: Bertsekas, Gallager, "Data Networks", 2nd edition, 1992, section 6.5; for the penalty Velho,
/// Schnorr, Casanova, Legrand, "On the validity of flow-level TCP network models for grid and cloud
/// simulations", ACM TOMACS 23(4), 2013.
class FairNetwork final : public NetworkModel {
 public:
  /// `routes` must outlive this object. @throws std::invalid_argument for an option out of range.
  explicit FairNetwork(const Routes& routes, const FairOptions& options = {});
  FairNetwork(const FairNetwork&) = delete;
  FairNetwork& operator=(const FairNetwork&) = delete;

  void attach(Scheduler& scheduler) override;
  void start(Transfer& transfer) override;
  /// Where small messages have a channel of their own, they take α + βm, whatever the rate limit of
  /// connections; all others are treated as by start().
  void start_unordered(Transfer& transfer) override;
  /// Reports when every message is sent and arrives, and all bytes that links carry except those of small
  /// messages, which flow beside others.
  ReportedByModel report_to(LinkWatch& watch) override {
    watch_ = &watch;
    return ReportedByModel::messages_too;
  }
  bool explains() const override { return true; }

  /// The present rates of the connections that have something to send, in no particular order. O(active
  /// connections). All events of this moment must have been processed.
  std::vector<ConnectionRate> rates() const;

 private:
  using Connection = FairConnection;

  /// A parcel that is on the agenda for its arrival.
  struct Parcel final : FairParcel {
    using FairParcel::FairParcel;
    void happen() override;
    void happen_explained(CausalLog&, double) override { happen(); }
    void prepare() const override;
  };

  /// A small message that waits for nothing and that nothing waits for.
  struct Passing final : TimedAction {
    Passing(FairNetwork& through, Transfer& what, const RouteSummary& summary)
        : network(through), transfer(what), latency_s(summary.latency_s), slowest(summary.slowest) {}
    void happen() override { network.arrive(*this); }
    void prepare() const override { transfer.prepare(); }

    FairNetwork& network;
    Transfer& transfer;
    double latency_s;
    LinkIndex slowest;
    CausalLog::Index cause = 0;                     // of being sent, where causes are recorded
    std::span<const LinkIndex> watched_route = {};  // its route, if links are watched
  };

  struct Departure final : FairDeparture {
    void happen() override { network->depart(*this); }
  };

  /// The connection that flows alone on a link, and its end; null and infinity while flows share the link.
  struct Occupant {
    Connection* connection = nullptr;
    double end_s = 0;
  };

  struct LastConnection {
    Rank destination = -1;
    Connection* connection = nullptr;
  };

  /// A part of a message that has flowed. Holds a copy of the order, as thousands of parts that end at the
  /// same moment are sorted by it.
  struct EndedPart {
    std::uint64_t order;  // of the connection's front parcel
    Connection* connection;
  };

  /// A task of the network that runs after all else that is due at the same moment.
  struct Chore final : TimedAction {
    Chore(FairNetwork& of, void (FairNetwork::*what)()) : network(of), run(what) {}
    void happen() override { (network.*run)(); }
    FairNetwork& network;
    void (FairNetwork::*run)();
  };

  Connection& connection_between(Rank source, Rank destination);
  void open(Connection& connection, Rank source, Rank destination);
  void set_limits(Connection& connection);
  void forget_idle_connections();

  /// The latest end that counts as now.
  double latest_s() const { return scheduler_->now() * (1 + share_of_present); }
  bool is_idle(const Connection& connection) const {
    return !connection.is_shared && connection.end_s <= latest_s();
  }
  bool is_route_free(const Connection& connection) const;

  void send(FairParcel& parcel);
  void pass(FairParcel& parcel);
  void arrive(FairParcel& parcel);
  void arrive(Passing& passing);
  bool passes(const Connection& connection, const Transfer& transfer) const;
  bool fits_buffer(const Connection& connection, const Transfer& transfer) const;
  void expect_departure(FairParcel& parcel, double time_s);
  void expect_departure_alone(FairParcel& parcel);
  void expect_departure_shared(FairParcel& parcel);
  void depart(Departure& departure);

  void flow_alone(FairParcel& parcel);
  void report_begin(const FairParcel& parcel);
  void report_end(const FairParcel& parcel);
  void report_alone(const Connection& connection, double begin_s, double end_s, double sign);
  void report_alone(const Connection& connection, double bytes, const LinkWatch::When& when);

  void explain_arrival(const FairParcel& parcel);
  Blame blame_of_flow(const Connection& connection) const;
  void explain_end(FairParcel& ended);

  void clear_route(const Connection& connection);
  void stop_flowing_alone(Connection& connection);
  static LinkIndex first_link(const Connection& connection) { return connection.hops.front().link; }
  int& sharing_from(const Connection& connection) {
    return sharing_from_[static_cast<std::size_t>(first_link(connection))];
  }
  double weight(const Connection& connection);
  void expect_weighing(const Connection& connection);
  void weigh_anew();
  void share(Connection& connection, double front_bytes, double window_bytes);
  void depart_if_due(Connection& connection);
  void go_on(Connection& connection);
  void stop_sharing(Connection& connection);
  void end_parts();
  void expect_settling();
  void settle();
  void expect_end();

  const Routes& routes_;
  FairOptions options_;
  double window_bytes_;
  double rate_Bps_;      // rate limit of a connection between hosts
  bool depends_on_own_;  // whether weights depend on other connections of the host
  CounterRandom weights_;
  Scheduler* scheduler_ = nullptr;
  std::optional<FairShares> shares_;
  std::vector<Occupant> occupants_;               // per link
  std::vector<LastConnection> last_connections_;  // per source
  std::vector<std::uint64_t> draws_;              // number of weights drawn so far, per source
  PairTable<Connection> connections_;
  Pool<Connection> all_connections_;
  Pool<Departure> departures_;
  std::uint64_t started_ = 0;
  Chore settling_{*this, &FairNetwork::settle};
  Chore ending_{*this, &FairNetwork::end_parts};
  bool is_settling_expected_ = false;
  double ending_s_ = std::numeric_limits<double>::infinity();  // when ending_ is next on the agenda
  std::vector<FairShares::Flow*> ended_;
  std::vector<EndedPart> in_order_;
  std::vector<int> sharing_from_;      // per link: sharing connections whose route begins with it
  std::vector<Connection*> to_weigh_;  // may need a new weight at the end of this moment
  LinkWatch* watch_ = nullptr;
};

}  // namespace starling
