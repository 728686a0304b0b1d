#include "sim/networks/fair/fair_connection.hpp"

#include <algorithm>
#include <utility>

namespace starling {

void FairConnection::queue(FairParcel& parcel) {
  parcel.is_queued = true;
  (front != nullptr ? back->next : front) = &parcel;
  back = &parcel;
}

FairParcel& FairConnection::unqueue_front() {
  FairParcel& parcel = *front;
  front = parcel.next;
  parcel.is_queued = false;
  return parcel;
}

void FairConnection::unqueue_ended(double latest_s) {
  while (front != nullptr && front->end_s <= latest_s) unqueue_front();
}

const FairParcel& FairConnection::flowing(const FairParcel& last, double now_s) const {
  if (!last.is_queued) return last;
  const FairParcel* parcel = front;
  if (!is_shared)
    while (parcel != &last && parcel->end_s <= now_s) parcel = parcel->next;
  return *parcel;
}

double FairConnection::end_of(double begin_s, double bytes) const {
  const double all_fast_s = begin_s + bytes * s_per_byte;
  if (!has_window() || all_fast_s <= window_s) return all_fast_s;
  const double fast_s = std::max(0.0, window_s - begin_s);
  return begin_s + fast_s + (bytes - fast_s / s_per_byte) / window_Bps;
}

double FairConnection::bytes_between(double from_s, double to_s) const {
  if (!has_window()) return (to_s - from_s) / s_per_byte;
  const double fast_s = std::clamp(window_s - from_s, 0.0, to_s - from_s);
  return fast_s / s_per_byte + (to_s - from_s - fast_s) * window_Bps;
}

void FairConnection::find_owing() {
  FairParcel*& parcel = first_owing;
  while (parcel != nullptr && (!parcel->owes_departure || parcel->departure != nullptr)) {
    parcel = parcel->next;
    if (parcel != nullptr) bytes_to_first_owing += parcel->transfer.bytes;
  }
}

double FairConnection::next_part() {
  double bytes = next_bytes;
  if (first_owing != nullptr) bytes = std::min(bytes, bytes_to_departure());
  const double bytes_after = next_bytes - bytes;
  if (bytes > window_bytes) {
    next_bytes -= window_bytes;
    return std::exchange(window_bytes, 0);
  }
  next_bytes = bytes_after;
  window_bytes -= bytes;
  return bytes;
}

}  // namespace starling
