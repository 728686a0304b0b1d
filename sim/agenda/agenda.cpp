#include "sim/agenda/agenda.hpp"

#include <algorithm>
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
  clear_first_bucket();
  const std::size_t lowest = lowest_bucket();
  last_key_ = std::exchange(least_keys_[lowest], no_key);
  non_empty_ &= ~(std::uint64_t{1} << (lowest - 1));
  Bucket& earliest = buckets_[lowest];
  if (std::ranges::all_of(earliest, [this](const Entry& entry) { return entry.key == last_key_; }))
    return std::swap(buckets_[0], earliest);
  for (const Entry& entry : earliest) add(entry);
  if (size_ >= far_entries) ask_for(earliest);
  earliest.clear();
}

void Agenda::ask_for(const Bucket& entries) {
  if (entries.size() <= prepared_among) {
    for (const Entry& entry : entries) entry.action->prepare();
  } else if (entries.size() <= fetched_among) {
    for (const Entry& entry : entries) fetch(entry.action, lines_of_action);
  }
}

/// Where a million things happen at one time, then a million others later, in another bucket, these have the
/// room of those.
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
