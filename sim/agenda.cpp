#include "sim/agenda.hpp"

#include <algorithm>

namespace starling {

namespace {

constexpr auto by_key = [](const auto& left, const auto& right) { return left.key < right.key; };

}  // namespace

double Agenda::next_time_s() const {
  STARLING_INVARIANT(size_ > 0);
  if (next_of_first_ < buckets_[0].size()) return last_time_s();
  const auto& bucket = buckets_[static_cast<std::size_t>(std::countr_zero(non_empty_)) + 1];
  return std::bit_cast<double>(std::min_element(bucket.begin(), bucket.end(), by_key)->key);
}

/// Moves time to the earliest entry. All of its bucket agree above the bucket's bit, so they spread over
/// lower buckets, in the order they came: entries of equal time stay in that order.
void Agenda::refill_first_bucket() {
  STARLING_INVARIANT(size_ > 0);
  buckets_[0].clear();
  next_of_first_ = 0;
  const auto lowest = static_cast<std::size_t>(std::countr_zero(non_empty_)) + 1;
  auto& bucket = buckets_[lowest];
  last_key_ = std::min_element(bucket.begin(), bucket.end(), by_key)->key;
  non_empty_ &= ~(std::uint64_t{1} << (lowest - 1));
  for (const Entry& entry : bucket) {
    const std::size_t target = bucket_of(entry.key);
    buckets_[target].push_back(entry);
    if (target > 0) non_empty_ |= std::uint64_t{1} << (target - 1);
  }
  bucket.clear();
}

}  // namespace starling
