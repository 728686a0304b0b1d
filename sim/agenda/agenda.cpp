#include "sim/agenda/agenda.hpp"

#include <algorithm>
#include <utility>

namespace starling {

double Agenda::next_time_s() const {
  STARLING_INVARIANT(size_ > 0);
  if (next_of_first_ < buckets_[0].size()) return std::bit_cast<double>(buckets_[0][next_of_first_].key);
  return std::bit_cast<double>(least_keys_[lowest_bucket()]);
}

/// Moves the earliest entries into bucket 0. The keys in the lowest non-empty bucket agree in all bits above
/// the bucket's own. A few such entries are sorted; more are spread over lower buckets, in the order of
/// insertion. Entries of equal time thus stay in that order.
void Agenda::refill_first_bucket() {
  STARLING_INVARIANT(size_ > 0);
  clear_first_bucket();
  const std::size_t lowest = lowest_bucket();
  base_key_ = std::exchange(least_keys_[lowest], no_key);
  non_empty_ &= ~(std::uint64_t{1} << (lowest - 1));
  Bucket& earliest = buckets_[lowest];
  const bool is_sorted = earliest.size() <= sorted_at_once;
  sorted_buckets_ = is_sorted ? lowest : 0;
  if (is_sorted) {
    if (size_ >= far_entries) ask_for(earliest);
    for (std::size_t place = 1; place < earliest.size(); ++place) sink(earliest, 0, place);
    return std::swap(buckets_[0], earliest);
  }
  if (std::ranges::all_of(earliest, [this](const Entry& entry) { return entry.key == base_key_; }))
    return std::swap(buckets_[0], earliest);
  for (const Entry& entry : earliest) add(entry);
  if (size_ >= far_entries) ask_for(earliest);
  earliest.clear();
}

/// The sorted bucket 0 has grown beyond most_sorted: spreads its entries over the buckets, relative to the
/// last time taken.
void Agenda::spread_first_bucket() {
  const Bucket entries(buckets_[0].begin() + static_cast<std::ptrdiff_t>(next_of_first_), buckets_[0].end());
  clear_first_bucket();
  base_key_ = last_key_;
  sorted_buckets_ = 0;
  for (const Entry& entry : entries) add(entry);
}

/// Reuses the room of entries that were taken if they are at least half of bucket 0; else enlarges it.
void Agenda::make_room_in_first() {
  Bucket& first = buckets_[0];
  if (2 * next_of_first_ <= first.size()) return make_room(first);
  first.erase(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(next_of_first_));
  next_of_first_ = 0;
}

void Agenda::ask_for(const Bucket& entries) {
  if (entries.size() <= prepared_among) {
    for (const Entry& entry : entries) entry.action->prepare();
  } else if (entries.size() <= fetched_among) {
    for (const Entry& entry : entries) fetch(entry.action, lines_of_action);
  }
}

/// Doubles the capacity of a full bucket, if possible with the memory of a spare one: where a million
/// actions share one time and a million others a later time in another bucket, the second million uses the
/// memory of the first.
void Agenda::make_room(Bucket& bucket) {
  const auto most = std::ranges::max_element(spare_, {}, &Bucket::capacity);
  if (bucket.size() < much_room || most == spare_.end() || most->capacity() <= bucket.size()) {
    bucket.reserve(std::max<std::size_t>(1, 2 * bucket.size()));
    return;
  }
  most->assign(bucket.begin(), bucket.end());
  std::swap(*most, bucket);
  spare_.erase(most);
}

void Agenda::clear_first_bucket() {
  buckets_[0].clear();
  next_of_first_ = 0;
  if (buckets_[0].capacity() > much_room) spare_.push_back(std::exchange(buckets_[0], {}));
}

}  // namespace starling
