#include "sim/networks/fair/fair_network.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/errors.hpp"
#include "base/fetch.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"
#include "sim/networks/small_message.hpp"

namespace starling {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The least penalty of a route, so that routes without latency have weights, too.
constexpr double least_penalty_s = 1e-12;

/// The initial size of the table of connections, which is full at half its places: fewer idle connections
/// are not worth forgetting.
constexpr std::size_t places_per_worker = 16;

}  // namespace

FairNetwork::FairNetwork(const Routes& routes, const FairOptions& options)
    : routes_(routes),
      options_(options),
      window_bytes_(options.window_bytes.value_or(infinity) * options.streams),
      rate_Bps_(options.connection_rate_Bps.value_or(infinity) * options.streams),
      depends_on_own_(options.unevenness.value_or(0) > 0 || options.queued_at_first_link.value_or(0) > 0),
      weights_(options.seed, Purpose::unevenness) {
  check_at_least("fair: streams", options_.streams, 1);
  check_options("fair", [&](OptionVisitor& visitor) { describe(options_, visitor); });
}

void FairNetwork::attach(Scheduler& scheduler) {
  scheduler_ = &scheduler;
  shares_.emplace(routes_.links(), options_.epsilon, options_.patience, watch_);
  occupants_.assign(routes_.links().size(), {});
  last_connections_.assign(static_cast<std::size_t>(routes_.workers()), {});
  draws_.assign(last_connections_.size(), 0);
  connections_ = PairTable<Connection>(std::bit_ceil(places_per_worker * last_connections_.size()));
  all_connections_ = {};
  departures_ = {};
  started_ = 0;
  sharing_from_.assign(occupants_.size(), 0);
  to_weigh_.clear();
  is_settling_expected_ = false;
  ending_s_ = infinity;
}

FairNetwork::Connection& FairNetwork::connection_between(Rank source, Rank destination) {
  LastConnection& last = last_connections_[static_cast<std::size_t>(source)];
  if (last.destination == destination) return *last.connection;
  Connection* connection = connections_.find(source, destination);
  if (connection == nullptr) {
    if (connections_.is_full()) forget_idle_connections();
    connection = &all_connections_.take();
    open(*connection, source, destination);
    connections_.add(source, destination, *connection);
  }
  last = {destination, connection};
  return *connection;
}

/// Forgets idle connections, but not those with an arrival now, which may not have been processed yet.
void FairNetwork::forget_idle_connections() {
  const auto is_needed = [this](const Connection& connection) {
    return connection.front != nullptr ||
           std::max(connection.arrival_s, connection.passed_s) >= scheduler_->now();
  };
  connections_.keep_if(is_needed, [this](Connection& idle) { all_connections_.give_back(idle); });
  std::ranges::fill(last_connections_, LastConnection{});
}

void FairNetwork::open(Connection& connection, Rank source, Rank destination) {
  STARLING_INVARIANT(source != destination);
  connection = {};
  connection.network = this;
  connection.source = source;
  connection.destination = destination;
  const RouteSummary summary = routes_.summary(source, destination);
  connection.latency_s = summary.latency_s;
  connection.s_per_byte = summary.s_per_byte();
  connection.slowest = summary.slowest;
  set_limits(connection);
  if (CausalLog* const causes = scheduler_->causes())
    connection.blame = causes->pack(blame_of_flow(connection).with(summary.latency_s));
  double penalty_s = 0;
  for (const LinkIndex index : routes_.route(source, destination)) {
    const Link& link = routes_.links()[static_cast<std::size_t>(index)];
    connection.hops.push_back({index, 0});
    penalty_s += link.latency_s + options_.weight_s_bytes.value_or(0) / link.bandwidth_Bps;
  }
  if (options_.weight_s_bytes) {
    connection.even_weight = connection.weight = 1 / std::max(penalty_s, least_penalty_s);
  }
}

void FairNetwork::set_limits(Connection& connection) {
  connection.window_Bps = infinity;
  if (window_bytes_ == infinity && rate_Bps_ == infinity) return;
  if (routes_.host_of(connection.source) == routes_.host_of(connection.destination)) return;
  const double frame_s = std::min(options_.frame_bytes, window_bytes_) * connection.s_per_byte;
  if (const double s_per_byte = 1 / rate_Bps_; s_per_byte > connection.s_per_byte) {
    connection.s_per_byte = s_per_byte;
    connection.slowest = -1;
    connection.window_Bps = rate_Bps_;
  }
  if (window_bytes_ == infinity) return;
  const double frame_at_rate_s =
      std::min(options_.frame_bytes, *options_.window_bytes) * (options_.streams / rate_Bps_);
  const RouteSummary back = routes_.summary(connection.destination, connection.source);
  const double round_trip_s = connection.latency_s + std::max(frame_s, frame_at_rate_s) + back.latency_s;
  const double window_Bps = window_bytes_ / round_trip_s;
  if (window_Bps * connection.s_per_byte < 1) connection.window_Bps = window_Bps;
}

void FairNetwork::start(Transfer& transfer) {
  Connection& connection = connection_between(transfer.source, transfer.destination);
  FairParcel& parcel = make_state<Parcel>(transfer, connection, transfer, started_++);
  if (watch_ != nullptr) [[unlikely]]
    report_begin(parcel);
  if (CausalLog* const causes = scheduler_->causes()) [[unlikely]]
    parcel.cause = causes->current(scheduler_->now());
  const bool has_buffer = transfer.buffered_bytes < infinity;
  const bool is_buffered = has_buffer && fits_buffer(connection, transfer);
  parcel.owes_departure = has_buffer && !is_buffered;
  send(parcel);
  if (is_buffered) transfer.left();
}

void FairNetwork::send(FairParcel& parcel) {
  Connection& connection = parcel.connection;
  if (passes(connection, parcel.transfer)) return pass(parcel);
  if (connection.is_shared) {
    connection.queue(parcel);
    connection.bytes_behind_front += parcel.transfer.bytes;
    if (parcel.owes_departure) expect_departure_shared(parcel);
    return;
  }
  if (is_route_free(connection)) return flow_alone(parcel);
  clear_route(connection);
  connection.unqueue_ended(latest_s());
  connection.queue(parcel);
  share(connection, parcel.transfer.bytes, window_bytes_);
}

/// Whether the transfer waits for nothing.
bool FairNetwork::passes(const Connection& connection, const Transfer& transfer) const {
  return transfer.bytes <= small_message_bytes && (options_.has_control_channel || is_idle(connection));
}

/// Whether the sender's buffer has room for the transfer behind what its connection still has to send.
bool FairNetwork::fits_buffer(const Connection& connection, const Transfer& transfer) const {
  double bytes = transfer.bytes;
  if (passes(connection, transfer) || is_idle(connection)) return bytes <= transfer.buffered_bytes;
  if (connection.is_shared)
    bytes += shares_->rest_bytes(connection, scheduler_->now()) + connection.next_bytes +
             connection.bytes_behind_front;
  else
    bytes += connection.bytes_between(scheduler_->now(), connection.end_s);
  return bytes <= transfer.buffered_bytes;
}

void FairNetwork::start_unordered(Transfer& transfer) {
  if (!options_.has_control_channel || transfer.bytes > small_message_bytes) return start(transfer);
  const std::span<const LinkIndex> route = routes_.route(transfer.source, transfer.destination);
  const RouteSummary summary = routes_.summary(route);
  const double now_s = scheduler_->now();
  Passing& passing = make_state<Passing>(transfer, *this, transfer, summary);
  scheduler_->at(now_s + transfer.bytes * summary.s_per_byte() + summary.latency_s, passing);
  if (CausalLog* const causes = scheduler_->causes()) passing.cause = causes->current(now_s);
  if (watch_ == nullptr) return;
  passing.watched_route = route;
  const Activity activity = watch_->workers().activity(transfer.source);
  for (const LinkIndex link : route) watch_->begin(link, transfer.bytes, activity, now_s);
}

void FairNetwork::arrive(Passing& passing) {
  Transfer& transfer = passing.transfer;
  for (const LinkIndex link : passing.watched_route) watch_->end(link, transfer.bytes, scheduler_->now());
  if (CausalLog* const causes = scheduler_->causes())
    causes->happen_now(scheduler_->now(), passing.cause,
                       Blame{SpentOn::link, passing.slowest, passing.latency_s});
  transfer.arrived();
}

bool FairNetwork::is_route_free(const Connection& connection) const {
  const double latest_s = this->latest_s();
  for (const FairShares::Hop& hop : connection.hops) {
    const Occupant& occupant = occupants_[static_cast<std::size_t>(hop.link)];
    if (occupant.end_s > latest_s && occupant.connection != &connection) return false;
  }
  return true;
}

/// Sends a small message that waits for nothing but earlier ones of its kind.
void FairNetwork::pass(FairParcel& parcel) {
  Connection& connection = parcel.connection;
  const double now_s = scheduler_->now();
  if (parcel.owes_departure)
    expect_departure(
        parcel, now_s + (parcel.transfer.bytes - parcel.transfer.buffered_bytes) * connection.s_per_byte);
  const double alone_s = now_s + parcel.transfer.bytes * connection.s_per_byte + connection.latency_s;
  connection.passed_s = std::max(connection.passed_s, alone_s);
  scheduler_->at(connection.passed_s, parcel);
}

/// A stale entry is due before the valid one, or was put on the agenda before it.
void FairNetwork::Parcel::happen() {
  if (has_stale_entry)
    has_stale_entry = false;
  else
    connection.network->arrive(*this);
}

/// The members of a connection that an arrival reads lie in three cache lines.
void FairNetwork::Parcel::prepare() const {
  fetch(&connection, 3);
  transfer.prepare();
}

void FairNetwork::arrive(FairParcel& parcel) {
  if (parcel.is_queued) parcel.connection.unqueue_front();
  if (parcel.departure != nullptr) parcel.departure->parcel = nullptr;
  if (watch_ != nullptr) [[unlikely]]
    report_end(parcel);
  if (scheduler_->causes() != nullptr) [[unlikely]]
    explain_arrival(parcel);
  parcel.transfer.arrived();
}

void FairNetwork::expect_departure(FairParcel& parcel, double time_s) {
  Departure& departure = departures_.take();
  departure.network = this;
  departure.parcel = &parcel;
  parcel.departure = &departure;
  scheduler_->at(time_s, departure);
}

void FairNetwork::depart(Departure& departure) {
  FairParcel* const parcel = departure.parcel;
  departures_.give_back(departure);
  if (parcel == nullptr) return;
  parcel->departure = nullptr;
  parcel->owes_departure = false;
  const double now_s = scheduler_->now();
  if (CausalLog* const causes = scheduler_->causes())
    causes->happen_now(now_s, parcel->connection.flowing(*parcel, now_s).cause,
                       blame_of_flow(parcel->connection));
  parcel->transfer.left();
}

/// Schedules the departure of the last parcel of a connection that flows alone: when what is left of all
/// parcels fits in the buffer.
void FairNetwork::expect_departure_alone(FairParcel& parcel) {
  const Connection& connection = parcel.connection;
  const double now_s = scheduler_->now();
  const double buffered_bytes = parcel.transfer.buffered_bytes;
  if (!connection.has_window())
    return expect_departure(parcel, std::max(now_s, parcel.end_s - buffered_bytes * connection.s_per_byte));
  const double left_bytes = connection.bytes_between(now_s, connection.end_s);
  expect_departure(parcel, connection.end_of(now_s, std::max(0.0, left_bytes - buffered_bytes)));
}

/// Schedules the departure of the last parcel of a connection that shares links. If the parcel departs
/// within the part that flows now, the part is shortened to end there.
void FairNetwork::expect_departure_shared(FairParcel& parcel) {
  Connection& connection = parcel.connection;
  if (connection.first_owing != nullptr) return;
  connection.first_owing = &parcel;
  connection.bytes_to_first_owing = connection.bytes_behind_front;
  const double excess_bytes = -connection.bytes_to_departure();
  if (excess_bytes <= 0) return;
  shares_->shorten(connection, excess_bytes, scheduler_->now());
  connection.next_bytes += excess_bytes;
  connection.window_bytes += excess_bytes;
  expect_settling();
}

void FairNetwork::flow_alone(FairParcel& parcel) {
  Connection& connection = parcel.connection;
  const double now_s = scheduler_->now();
  if (scheduler_->causes() != nullptr && connection.end_s > now_s && connection.front != nullptr)
    parcel.cause =
        scheduler_->causes()->add(connection.end_s, connection.back->cause, blame_of_flow(connection));
  connection.queue(parcel);
  if (connection.end_s <= now_s) {
    connection.end_s = now_s;
    connection.window_s = now_s + window_bytes_ * connection.s_per_byte;
  }
  const double begin_s = connection.end_s;
  parcel.end_s = connection.end_s = connection.end_of(begin_s, parcel.transfer.bytes);
  if (parcel.owes_departure) expect_departure_alone(parcel);
  for (const FairShares::Hop& hop : connection.hops)
    occupants_[static_cast<std::size_t>(hop.link)] = {&connection, connection.end_s};
  if (watch_ != nullptr) [[unlikely]]
    report_alone(connection, begin_s, connection.end_s, 1);
  scheduler_->at(connection.end_s + connection.latency_s, parcel);
}

void FairNetwork::report_begin(const FairParcel& parcel) {
  const Activity activity = watch_->workers().activity(parcel.transfer.source);
  for (const FairShares::Hop& hop : parcel.connection.hops)
    watch_->begin(hop.link, parcel.transfer.bytes, activity, scheduler_->now());
}

void FairNetwork::report_end(const FairParcel& parcel) {
  for (const FairShares::Hop& hop : parcel.connection.hops)
    watch_->end(hop.link, parcel.transfer.bytes, scheduler_->now());
}

/// Reports to the watch that the connection flows alone on its links or, with a sign of −1, revokes such a
/// report.
void FairNetwork::report_alone(const Connection& connection, double begin_s, double end_s, double sign) {
  double fast_until_s = end_s;
  if (connection.has_window()) fast_until_s = std::clamp(connection.window_s, begin_s, end_s);
  report_alone(connection, sign * connection.bytes_between(begin_s, fast_until_s),
               watch_->when(begin_s, fast_until_s));
  if (fast_until_s < end_s)
    report_alone(connection, sign * connection.bytes_between(fast_until_s, end_s),
                 watch_->when(fast_until_s, end_s));
}

void FairNetwork::report_alone(const Connection& connection, double bytes, const LinkWatch::When& when) {
  for (const FairShares::Hop& hop : connection.hops) watch_->carry(hop.link, bytes, when);
}

/// Makes the connections that flow alone on links of the route share them from now on.
void FairNetwork::clear_route(const Connection& connection) {
  for (const FairShares::Hop& hop : connection.hops) {
    const Occupant& occupant = occupants_[static_cast<std::size_t>(hop.link)];
    if (occupant.connection == nullptr || occupant.end_s <= latest_s()) continue;
    stop_flowing_alone(*occupant.connection);
  }
}

/// Switches a connection from flowing alone to sharing: cancels the scheduled arrivals and departures of the
/// parcels that have not ended.
void FairNetwork::stop_flowing_alone(Connection& connection) {
  connection.unqueue_ended(latest_s());
  for (FairParcel* parcel = connection.front; parcel != nullptr; parcel = parcel->next) {
    parcel->has_stale_entry = true;
    if (parcel->departure == nullptr) continue;
    parcel->departure->parcel = nullptr;
    parcel->departure = nullptr;
  }
  const double now_s = scheduler_->now();
  if (watch_ != nullptr) report_alone(connection, now_s, connection.end_s, -1);
  share(connection, connection.bytes_between(now_s, connection.front->end_s),
        (connection.window_s - now_s) / connection.s_per_byte);
}

/// The weight of a connection on the links that it shares. Connections of one host share unevenly, and part
/// of their window queues at their host's link instead of at others.
double FairNetwork::weight(const Connection& connection) {
  if (!connection.is_beside_own) return connection.even_weight;
  const bool is_between_hosts = routes_.host_of(connection.source) != routes_.host_of(connection.destination);
  double weight = connection.even_weight;
  if (is_between_hosts) weight /= 1 + options_.queued_at_first_link.value_or(0);
  if (const double unevenness = options_.unevenness.value_or(0); unevenness > 0) {
    std::uint64_t& drawn_so_far = draws_[static_cast<std::size_t>(connection.source)];
    const double drawn = weights_.uniform(static_cast<std::uint32_t>(connection.source), drawn_so_far++);
    weight *= 1 + unevenness * (2 * drawn - 1);
  }
  return weight;
}

/// `connection` is about to join, or has left, exactly one other connection that shares links from the same
/// first link on: that one may need a new weight.
void FairNetwork::expect_weighing(const Connection& connection) {
  if (depends_on_own_)
    to_weigh_.push_back(static_cast<Connection*>(&shares_->flow_from(first_link(connection))));
}

/// Gives new weights to connections that another one of their host has joined, or that are the last of their
/// host.
void FairNetwork::weigh_anew() {
  for (Connection* connection : to_weigh_) {
    if (!connection->is_shared) continue;
    const bool is_beside_own = sharing_from(*connection) > 1;
    if (connection->is_beside_own == is_beside_own) continue;
    connection->is_beside_own = is_beside_own;
    shares_->change_weight(*connection, weight(*connection), scheduler_->now());
  }
  to_weigh_.clear();
}

/// Makes the connection share links. `front_bytes` are left of its front parcel, `window_bytes` of its first
/// window (0 or less if that is over).
void FairNetwork::share(Connection& connection, double front_bytes, double window_bytes) {
  for (const FairShares::Hop& hop : connection.hops)
    occupants_[static_cast<std::size_t>(hop.link)] = {nullptr, infinity};
  if (++sharing_from(connection) == 2) expect_weighing(connection);
  connection.is_beside_own = sharing_from(connection) > 1;
  connection.weight = weight(connection);
  connection.is_shared = true;
  connection.next_bytes = front_bytes;
  connection.window_bytes = infinity;
  if (connection.has_window()) {
    if (window_bytes > 0) connection.window_bytes = window_bytes;
    connection.window_link = shares_->add_link(window_bytes > 0 ? rate_Bps_ : connection.window_Bps);
    connection.hops.push_back({connection.window_link, 0});
  }
  connection.bytes_behind_front = 0;
  for (const FairParcel* each = connection.front->next; each != nullptr; each = each->next)
    connection.bytes_behind_front += each->transfer.bytes;
  connection.first_owing = connection.front;
  connection.bytes_to_first_owing = 0;
  connection.find_owing();
  depart_if_due(connection);
  shares_->join(connection, connection.next_part(), scheduler_->now());
  expect_settling();
}

void FairNetwork::depart_if_due(Connection& connection) {
  constexpr double rounding = 1e-9;  // of a buffer
  while (connection.first_owing != nullptr &&
         connection.bytes_to_departure() <= rounding * connection.first_owing->transfer.buffered_bytes) {
    expect_departure(*connection.first_owing, scheduler_->now());
    connection.find_owing();
  }
}

/// A part of the front parcel has flowed: begins the next part, of this or of the next parcel.
void FairNetwork::go_on(Connection& connection) {
  if (connection.window_bytes == 0) {
    shares_->set_capacity(connection.window_link, connection.window_Bps, scheduler_->now());
    connection.window_bytes = infinity;
  }
  depart_if_due(connection);
  while (connection.next_bytes == 0) {
    if (connection.first_owing == connection.front) {  // it has not departed because of rounding only
      expect_departure(*connection.front, scheduler_->now());
      connection.find_owing();
    }
    FairParcel& ended = connection.unqueue_front();
    const double end_s = std::max(scheduler_->now(), ended.end_s);  // not earlier than if alone
    connection.arrival_s = std::max(connection.arrival_s, end_s + connection.latency_s);
    scheduler_->at(connection.arrival_s, ended);
    if (scheduler_->causes() != nullptr) explain_end(ended);
    if (connection.front == nullptr) return stop_sharing(connection);
    connection.next_bytes = connection.front->transfer.bytes;
    connection.bytes_behind_front -= connection.next_bytes;
    connection.bytes_to_first_owing -= connection.next_bytes;
  }
  shares_->extend(connection, connection.next_part(), scheduler_->now());
}

/// A parcel that has shared links is explained up to its end already; only its latency is left.
void FairNetwork::explain_arrival(const FairParcel& parcel) {
  CausalLog& causes = *scheduler_->causes();
  causes.happen_now(scheduler_->now(), parcel.cause,
                    parcel.has_shared ? CausalLog::pack(SpentOn::latency, 0) : parcel.connection.blame);
}

/// What limits the rate of a connection. Under a window, the time is spent on round trips, and under the
/// connection's own rate limit no link is to blame either: both count as latency.
Blame FairNetwork::blame_of_flow(const Connection& connection) const {
  const LinkIndex bottleneck = connection.is_shared ? shares_->bottleneck(connection) : connection.slowest;
  const bool is_link = static_cast<std::size_t>(bottleneck) < routes_.links().size();
  return is_link ? Blame{SpentOn::link, bottleneck} : Blame{SpentOn::latency};
}

/// Records the end of a parcel, which is the cause of the next parcel's beginning to flow.
void FairNetwork::explain_end(FairParcel& ended) {
  ended.has_shared = true;
  ended.cause = scheduler_->causes()->add(std::max(scheduler_->now(), ended.end_s), ended.cause,
                                          blame_of_flow(ended.connection));
  if (ended.connection.front != nullptr) ended.connection.front->cause = ended.cause;
}

void FairNetwork::stop_sharing(Connection& connection) {
  shares_->leave(connection, scheduler_->now());
  if (connection.has_window()) {
    shares_->remove_link(connection.window_link);
    connection.hops.pop_back();
  }
  if (--sharing_from(connection) == 1) expect_weighing(connection);
  connection.is_shared = false;
  connection.end_s = scheduler_->now();
  for (const FairShares::Hop& hop : connection.hops)
    if (!shares_->is_used(hop.link)) occupants_[static_cast<std::size_t>(hop.link)] = {};
}

/// Continues the connections for which a part of a message has flowed, in the order in which the messages
/// were sent.
void FairNetwork::end_parts() {
  if (ending_s_ <= scheduler_->now()) ending_s_ = infinity;
  ended_.clear();
  shares_->take_ended(scheduler_->now(), latest_s(), ended_);
  in_order_.clear();
  for (FairShares::Flow* flow : ended_) {
    Connection& connection = static_cast<Connection&>(*flow);
    in_order_.push_back({connection.front->order, &connection});
  }
  std::ranges::sort(in_order_, {}, &EndedPart::order);
  for (const EndedPart& part : in_order_) go_on(*part.connection);
  if (!ended_.empty())
    expect_settling();
  else
    expect_end();
}

void FairNetwork::expect_settling() {
  if (!std::exchange(is_settling_expected_, true)) scheduler_->at(scheduler_->now(), settling_);
}

void FairNetwork::settle() {
  is_settling_expected_ = false;
  weigh_anew();
  shares_->settle(scheduler_->now());
  expect_end();
}

/// Schedules end_parts() at the next end. Entries of the agenda that come too early find nothing to do.
void FairNetwork::expect_end() {
  const double next_s = shares_->next_end_s();
  if (next_s >= ending_s_) return;
  ending_s_ = next_s;
  scheduler_->at(std::max(scheduler_->now(), next_s), ending_);
}

std::vector<ConnectionRate> FairNetwork::rates() const {
  std::vector<ConnectionRate> all;
  const double now_s = scheduler_->now();
  connections_.for_each([&](const Connection& connection) {
    double rate_Bps = 0;
    if (connection.is_shared)
      rate_Bps = shares_->rate_Bps(connection);
    else if (!is_idle(connection))
      rate_Bps = now_s < connection.window_s ? 1 / connection.s_per_byte
                                             : std::min(connection.window_Bps, 1 / connection.s_per_byte);
    if (rate_Bps > 0) all.push_back({connection.source, connection.destination, rate_Bps});
  });
  return all;
}

}  // namespace starling
