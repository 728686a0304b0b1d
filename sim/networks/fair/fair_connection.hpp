#pragma once

#include <cstdint>
#include <limits>

#include "base/types.hpp"
#include "sim/agenda/agenda.hpp"
#include "sim/agenda/causes.hpp"
#include "sim/networks/fair/fair_shares.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/routes.hpp"

namespace starling {

class FairNetwork;
struct FairConnection;
struct FairDeparture;

/// A message of a connection, until it arrives, which is what happens to it.
struct FairParcel : TimedAction {
  FairParcel(FairConnection& on, Transfer& what, std::uint64_t place_in_order)
      : connection(on), transfer(what), order(place_in_order & all_orders) {}

  FairConnection& connection;
  Transfer& transfer;
  static constexpr int order_bits = 60;
  static constexpr std::uint64_t all_orders = (std::uint64_t{1} << order_bits) - 1;
  std::uint64_t order : order_bits;           // of all parcels
  std::uint64_t has_stale_entry : 1 = false;  // of the agenda, before the one that counts
  std::uint64_t is_queued : 1 = false;
  std::uint64_t owes_departure : 1 = false;
  std::uint64_t has_shared : 1 = false;  // links, and ended
  FairParcel* next = nullptr;
  FairDeparture* departure = nullptr;  // if it is on the agenda
  double end_s = 0;                    // when its last byte leaves, or would have left had it not to share
  Causes::Index cause = 0;             // of its flowing, then of its having flowed; where someone asks
};

/// The sender's buffer takes the last bytes of a parcel.
struct FairDeparture : TimedAction {
  FairNetwork* network = nullptr;
  FairParcel* parcel = nullptr;  // null if it does not leave now, after all
};

/// All that is kept of a pair of workers, while anything is. Either it flows alone, and its parcels are
/// queued until they arrive, or it shares links, and they are queued until they have ended.
struct FairConnection final : FairShares::Flow {
  FairNetwork* network = nullptr;
  Rank source = 0;
  Rank destination = 0;
  double latency_s = 0;
  double s_per_byte = 0;           // of the slowest link, or of its own rate
  LinkIndex slowest = 0;           // −1 if that is its own rate
  Causes::PackedBlame blame = {};  // for what a message takes alone
  double even_weight = 1;
  double window_Bps = 0;  // beyond the first window; infinite if only links limit it
  FairParcel* front = nullptr;
  FairParcel* back = nullptr;
  double arrival_s = 0;  // of the latest that shared links: none overtakes another
  double passed_s = 0;   // likewise of those that waited for nothing

  double end_s = 0;     // alone: of its last parcel
  double window_s = 0;  // alone: until then the first window lasts

  bool is_shared = false;
  bool is_beside_own = false;  // shared: others of its host compete for the first link of its route
  double next_bytes = 0;       // shared: of the front, beyond the part that flows
  double window_bytes = 0;     // shared: of the first window, beyond that part
  LinkIndex window_link = 0;

  double bytes_behind_front = 0;      // shared: of the parcels after it
  FairParcel* first_owing = nullptr;  // shared: a departure that is not expected yet
  double bytes_to_first_owing = 0;    // shared: of the parcels after the front up to and with that

  /// Whether it flows at another rate once its first window has passed.
  bool has_window() const { return window_Bps < std::numeric_limits<double>::infinity(); }

  void queue(FairParcel& parcel);
  FairParcel& unqueue_front();
  /// What flowed alone is queued until it arrives: those that have ended by then are no more.
  void unqueue_ended(double latest_s);
  /// What flows now of the parcels up to and with `last`, which the sender's buffer takes by that. Costs a
  /// look at each that has not arrived.
  const FairParcel& flowing(const FairParcel& last, double now_s) const;

  /// Alone: when bytes that begin to flow have flowed.
  double end_of(double begin_s, double bytes) const;
  /// Alone: what flows meanwhile.
  double bytes_between(double from_s, double to_s) const;

  /// Shared: looks for the first that owes a departure, from the parcel that was it on.
  void find_owing();
  /// Shared: how much more than what flows now must have flowed before a parcel departs; less than 0 if it
  /// departs before.
  double bytes_to_departure() const {
    return next_bytes + bytes_to_first_owing - first_owing->transfer.buffered_bytes;
  }
  /// Shared: what flows next at one go, which is the front up to where the sender's buffer holds the rest of
  /// a message, its rest, or the first window.
  double next_part();
};

}  // namespace starling
