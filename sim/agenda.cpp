#include "sim/agenda.hpp"

#include <utility>

namespace starling {

double Agenda::next_time_s() const {
  STARLING_INVARIANT(size_ > 0);
  if (next_of_first_ < buckets_[0].size()) return last_time_s();
  return std::bit_cast<double>(least_keys_[lowest_bucket()]);
}

/// Moves time to the earliest entry. All of its bucket agree above the bucket's bit, so they spread over
/// lower buckets, in the order they came: entries of equal time stay in that order.
void Agenda::refill_first_bucket() {
  STARLING_INVARIANT(size_ > 0);
  buckets_[0].clear();
  next_of_first_ = 0;
  const std::size_t lowest = lowest_bucket();
  last_key_ = std::exchange(least_keys_[lowest], no_key);
  non_empty_ &= ~(std::uint64_t{1} << (lowest - 1));
  for (const Entry& entry : buckets_[lowest]) add(entry);
  buckets_[lowest].clear();
}

}  // namespace starling
