#pragma once

#include <cstdint>
#include <limits>

#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/causal_log.hpp"
#include "sim/networks/fair/fair_shares.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/routes.hpp"

namespace starling {

class FairNetwork;
struct FairConnection;
struct FairDeparture;

/// A message of a connection, from start() to its arrival, for which it is on the agenda.
struct FairParcel : TimedAction {
  FairParcel(FairConnection& on, Transfer& what, std::uint64_t place_in_order)
      : connection(on), transfer(what), order(place_in_order & all_orders) {}

  FairConnection& connection;
  Transfer& transfer;
  static constexpr int order_bits = 60;
  static constexpr std::uint64_t all_orders = (std::uint64_t{1} << order_bits) - 1;
  std::uint64_t order : order_bits;           // of start() among all parcels
  std::uint64_t has_stale_entry : 1 = false;  // on the agenda, before the valid entry
  std::uint64_t is_queued : 1 = false;
  std::uint64_t owes_departure : 1 = false;
  std::uint64_t has_shared : 1 = false;  // has flowed over shared links to its end
  FairParcel* next = nullptr;
  FairDeparture* departure = nullptr;  // if it is on the agenda
  double end_s = 0;                    // when its last byte leaves; shared: would have left, flowing alone
  CausalLog::Index cause = 0;          // of beginning to flow, then of the end; where causes are recorded
};

/// The event that the sender's buffer takes the last bytes of a parcel.
struct FairDeparture : TimedAction {
  FairNetwork* network = nullptr;
  FairParcel* parcel = nullptr;  // null if the departure has been cancelled
};

/// The connection from one worker to another, kept while it is in use. Either it flows alone, and its
/// parcels are queued until they arrive; or it shares links, and its parcels are queued until they have
/// ended.
struct FairConnection final : FairShares::Flow {
  FairNetwork* network = nullptr;
  Rank source = 0;
  Rank destination = 0;
  double latency_s = 0;
  double s_per_byte = 0;              // of the slowest link, or of the connection's rate limit
  LinkIndex slowest = 0;              // −1 if the rate limit is lower than any link's bandwidth
  CausalLog::PackedBlame blame = {};  // for the time of a message alone
  double even_weight = 1;
  double window_Bps = 0;  // rate beyond the first window; infinite if only links limit it
  FairParcel* front = nullptr;
  FairParcel* back = nullptr;
  double arrival_s = 0;  // latest arrival of parcels that shared links: none overtakes another
  double passed_s = 0;   // likewise of small messages that passed without waiting

  double end_s = 0;     // alone: when its last parcel ends
  double window_s = 0;  // alone: when the first window ends

  bool is_shared = false;
  bool is_beside_own = false;  // shared: others compete for the first link of its route
  double next_bytes = 0;       // shared: bytes of the front parcel beyond the part that flows
  double window_bytes = 0;     // shared: bytes of the first window beyond that part
  LinkIndex window_link = 0;

  double bytes_behind_front = 0;      // shared: bytes of the parcels after the front
  FairParcel* first_owing = nullptr;  // shared: the first parcel whose departure is not scheduled yet
  double bytes_to_first_owing = 0;    // shared: bytes of the parcels after the front, up to that one's end

  /// Whether its rate changes once its first window has passed.
  bool has_window() const { return window_Bps < std::numeric_limits<double>::infinity(); }

  void queue(FairParcel& parcel);
  FairParcel& unqueue_front();
  /// Alone: removes the parcels that have ended by latest_s from the queue, in which they would otherwise
  /// stay until they arrive.
  void unqueue_ended(double latest_s);
  /// The parcel that flows now, among those up to and including `last`, which the sender's buffer takes
  /// completely at this moment. Visits each parcel that has not arrived.
  const FairParcel& flowing(const FairParcel& last, double now_s) const;

  /// Alone: when `bytes` that begin to flow at begin_s have flowed.
  double end_of(double begin_s, double bytes) const;
  /// Alone: the bytes that flow in an interval.
  double bytes_between(double from_s, double to_s) const;

  /// Shared: advances first_owing to the first parcel, from itself on, that owes a departure.
  void find_owing();
  /// Shared: the bytes that must flow beyond the part that flows now before the parcel first_owing departs;
  /// negative if it departs within that part.
  double bytes_to_departure() const {
    return next_bytes + bytes_to_first_owing - first_owing->transfer.buffered_bytes;
  }
  /// Shared: takes the part that flows next from the front and returns its bytes. The part ends where the
  /// sender's buffer holds the rest of a message, at the end of the front, or at the end of the first
  /// window.
  double next_part();
};

}  // namespace starling
