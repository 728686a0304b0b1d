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

/// How fast one worker sends to another at the moment.
struct ConnectionRate {
  Rank source;
  Rank destination;
  double rate_Bps;
};

/// Connections that share links max-min fairly: what congestion control is meant to reach, as a fluid.
///
/// Every ordered pair of workers has a connection, a stream of bytes that carries their messages one after
/// the other. A message that begins to flow at t flows on all links of its route at once, at the rate that
/// FairShares gives its connection, and when it ends at e it arrives at e + α, α the sum of the latencies. So
/// alone it takes α + βm, β the reciprocal of the least bandwidth. A message of at most a packet of 1,500
/// bytes that finds its connection idle takes α + βm whatever flows elsewhere, and nothing of the links. On a
/// busy connection so does one where small messages have a channel of their own
/// (FairOptions::has_control_channel); else it waits its turn, as requests, answers and acknowledgments of
/// MPI over TCP do.
///
/// While a message is the only one on each link of its route, its end is known at once: one entry of the
/// agenda and O(hops) steps a message. Others cost what FairShares says for a start and for an end; all that
/// happens at one moment is computed once. Memory: O(links + active connections + workers).
///
/// Real connections do not share evenly what is left of their own host's link: with an unevenness u, whenever
/// a connection begins to share links, the first of its way among them, its weight is uniform in 1 ± u, so
/// that of two on a link one has up to (1+u)/2 of it. Without that, connections that begin together end
/// together for ever. Those of different hosts, where they meet, share evenly, but for one thing: who waits
/// at its own host's link, too, has less of its window where it meets others, and so a smaller share there
/// (FairOptions::queued_at_first_link).
///
/// A window W lets W bytes through as they come, then W for each round trip, α there and back and the
/// transmission of a frame, or of W if that is less: for whole windows that is TCP's own closed form.
/// Whatever ends at the same moment, but for rounding (2^-43 of the time), arrives in the order it was sent,
/// if α is equal.
///
/// A rate of connections holds from the first byte on, as if the way of each ended with a link of its own of
/// that bandwidth, without latency, but weights do not count it. With both, the first window passes at the
/// rate, then W for each round trip, of which a frame takes its time at the rate, or the rate where that is
/// less. Of several streams each has such a window and such a rate; without a rate, a frame takes its time at
/// that of all together.
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
  /// A small message takes α + βm, whatever the rate of connections, where small ones have a channel of their
  /// own; all others are as in start().
  void start_unordered(Transfer& transfer) override;
  /// Reports all but small messages that flow beside others.
  Told tell(LinkWatch& watch) override {
    watch_ = &watch;
    return Told::messages_too;
  }
  bool explains() const override { return true; }

  /// The present rates of the connections that have something to send, in no particular order. O(active
  /// connections). Everything that happens at this moment must have happened.
  std::vector<ConnectionRate> rates() const;

 private:
  using Connection = FairConnection;

  /// A message from start() to its arrival, which is what happens to it.
  struct Parcel final : FairParcel {
    using FairParcel::FairParcel;
    void happen() override;
    void happen_explained(Causes&, double) override { happen(); }
    void prepare() const override;
  };

  /// A message that nothing has to wait for.
  struct Passing final : TimedAction {
    Passing(FairNetwork& through, Transfer& what, const Way& way)
        : network(through), transfer(what), latency_s(way.latency_s), slowest(way.slowest) {}
    void happen() override { network.arrive(*this); }
    void prepare() const override { transfer.prepare(); }

    FairNetwork& network;
    Transfer& transfer;
    double latency_s;
    LinkIndex slowest;
    Causes::Index cause = 0;                        // of its flowing, where someone asks
    std::span<const LinkIndex> watched_route = {};  // where someone watches
  };

  struct Departure final : FairDeparture {
    void happen() override { network->depart(*this); }
  };

  /// Who flows alone on a link, until when; forever for the flows that share it.
  struct Occupant {
    Connection* connection = nullptr;
    double end_s = 0;
  };

  struct LastConnection {
    Rank destination = -1;
    Connection* connection = nullptr;
  };

  /// The order is here, too, as thousands that end at the same moment are sorted by it.
  struct EndedPart {
    std::uint64_t order;  // of the front of the connection
    Connection* connection;
  };

  /// Something that the network does behind all that is due at the same moment.
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

  /// Until when ends count as now.
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
  void tell_begin(const FairParcel& parcel);
  void tell_end(const FairParcel& parcel);
  void tell_alone(const Connection& connection, double begin_s, double end_s, double sign);
  void tell_alone(const Connection& connection, double bytes, const LinkWatch::When& when);

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
  double rate_Bps_;      // of a connection between hosts
  bool depends_on_own_;  // whether weights do, on other connections of the host
  CounterRandom weights_;
  Scheduler* scheduler_ = nullptr;
  std::optional<FairShares> shares_;
  std::vector<Occupant> occupants_;               // per link
  std::vector<LastConnection> last_connections_;  // per source
  std::vector<std::uint64_t> draws_;              // of weights so far, per source
  PairTable<Connection> connections_;
  Pool<Connection> all_connections_;
  Pool<Departure> departures_;
  std::uint64_t started_ = 0;
  Chore settling_{*this, &FairNetwork::settle};
  Chore ending_{*this, &FairNetwork::end_parts};
  bool is_settling_expected_ = false;
  double ending_s_ = std::numeric_limits<double>::infinity();  // the next entry of ending_
  std::vector<FairShares::Flow*> ended_;
  std::vector<EndedPart> in_order_;
  std::vector<int> sharing_from_;      // per link: connections that share links from this one on
  std::vector<Connection*> to_weigh_;  // perhaps, once all of a moment has happened
  LinkWatch* watch_ = nullptr;
};

}  // namespace starling
