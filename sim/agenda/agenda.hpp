#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/errors.hpp"
#include "base/fetch.hpp"

namespace starling {

class CausalLog;

/// An event: an action that happens at a point in time.
class TimedAction {
 public:
  virtual ~TimedAction() = default;
  virtual void happen() = 0;
  /// happen() in a run whose causes are recorded: first reports to `causes` the step that ends at `now_s`,
  /// if there is one, then happens.
  virtual void happen_explained([[maybe_unused]] CausalLog& causes, [[maybe_unused]] double now_s) {
    happen();
  }
  /// Called shortly before happen(), possibly more than once. May only prefetch memory that happen() will
  /// need.
  virtual void prepare() const {}
  /// Where a CausalLog keeps the low 32 bits of the number of the step that ends when this action happens (0:
  /// none); null if the action records no causes. A class that overrides this function must override
  /// happen_explained(), too.
  virtual std::uint32_t* ended_step() { return nullptr; }
};

/// The simulator's event queue (future event list): a monotone radix heap of timed actions. Actions of equal
/// time come out in the order of insertion.
///
/// Times are seconds ≥ 0 and never earlier than the last one taken out, as in every simulation. put() and
/// take() then cost O(1) amortized: an entry is moved at most 64 times, and entries that are all due at the
/// same time are not moved. All entries lie in a few contiguous arrays. A bucket of up to 32 entries is
/// sorted instead of being spread over lower buckets, and entries that come in between are inserted into it
/// as long as it holds at most 64. For non-negative doubles the order of the bit patterns is the order of
/// the values, so the patterns serve as integer keys. Reference: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster
/// algorithms for the shortest path problem", J. ACM 37(2), 1990.
class Agenda {
 public:
  bool is_empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// Inserts an action. @throws InvariantError if the time is before the last one taken, negative, or not a
  /// number.
  void put(double time_s, TimedAction& action) {
    const std::uint64_t key = std::bit_cast<std::uint64_t>(time_s + 0.0);  // + 0.0 turns −0 into 0
    STARLING_INVARIANT(time_s >= 0 && key >= last_key_);
    if (bucket_of(key) > sorted_buckets_)
      add({key, &action});
    else
      insert({key, &action});
    ++size_;
  }

  /// The time of the earliest action, in O(1). The agenda must not be empty.
  double next_time_s() const;

  /// Removes and returns the first action of the earliest time, which last_time_s() then returns. The agenda
  /// must not be empty.
  TimedAction& take() {
    if (next_of_first_ == buckets_[0].size()) refill_first_bucket();
    --size_;
    if (next_of_first_ + fetched_ahead < buckets_[0].size()) prepare_next();
    const Entry& next = buckets_[0][next_of_first_++];
    last_key_ = next.key;
    return *next.action;
  }

  /// The time of the action taken last; 0 before the first.
  double last_time_s() const { return std::bit_cast<double>(last_key_); }

 private:
  struct Entry {
    std::uint64_t key;
    TimedAction* action;
  };
  using Bucket = std::vector<Entry>;

  /// Bucket i > 0 holds the entries whose key differs from base_key_ in bit i−1 and in no higher bit. Bucket
  /// 0 holds the entries due at base_key_ or, if sorted, those of all buckets up to sorted_buckets_, which
  /// are then empty.
  static constexpr std::size_t bucket_count = 65;
  /// The most entries for which a bucket is sorted at once, and up to which it is kept sorted as others
  /// come.
  static constexpr std::size_t sorted_at_once = 32;
  static constexpr std::size_t most_sorted = 64;
  /// Prefetching where thousands of actions happen at the same time and lie far apart in memory: an action
  /// itself is fetched `fetched_ahead` turns before its own, and prepares what it needs `prepared_ahead`
  /// turns before.
  static constexpr std::size_t fetched_ahead = 12;
  static constexpr std::size_t prepared_ahead = 5;
  static constexpr int lines_of_action = 2;
  /// Prefetching where actions happen at different times: once time reaches a bucket, its entries come next,
  /// in an order that is found as they spread over ever smaller buckets. With fewer than `far_entries`
  /// entries, what they need is in the cache anyway.
  static constexpr std::size_t far_entries = 512;
  static constexpr std::size_t fetched_among = 1024;
  static constexpr std::size_t prepared_among = 16;
  /// The capacity, in entries, from which an emptied bucket hands its memory to another bucket: a mebibyte.
  static constexpr std::size_t much_room = 1 << 16;
  static constexpr std::uint64_t no_key = std::numeric_limits<std::uint64_t>::max();

  static constexpr std::array<std::uint64_t, bucket_count> no_keys() {
    std::array<std::uint64_t, bucket_count> keys{};
    keys.fill(no_key);
    return keys;
  }

  std::size_t bucket_of(std::uint64_t key) const {
    return static_cast<std::size_t>(std::bit_width(key ^ base_key_));
  }
  /// The lowest non-empty bucket after bucket 0; there must be one.
  std::size_t lowest_bucket() const { return static_cast<std::size_t>(std::countr_zero(non_empty_)) + 1; }
  void add(const Entry& entry) {
    const std::size_t bucket = bucket_of(entry.key);
    if (buckets_[bucket].size() == buckets_[bucket].capacity()) [[unlikely]]
      make_room(buckets_[bucket]);
    buckets_[bucket].push_back(entry);
    if (bucket == 0) return;
    non_empty_ |= std::uint64_t{1} << (bucket - 1);
    least_keys_[bucket] = std::min(least_keys_[bucket], entry.key);
  }
  /// Inserts the entry into bucket 0 before the entries that are due later.
  void insert(const Entry& entry) {
    Bucket& first = buckets_[0];
    if (first.size() == first.capacity()) [[unlikely]]
      make_room_in_first();
    first.push_back(entry);
    sink(first, next_of_first_, first.size() - 1);
    if (sorted_buckets_ > 0 && first.size() - next_of_first_ > most_sorted) [[unlikely]]
      spread_first_bucket();
  }
  /// Moves the entry at `place` before the entries from `begin` on that are due later.
  static void sink(Bucket& bucket, std::size_t begin, std::size_t place) {
    const Entry entry = bucket[place];
    for (; place > begin && bucket[place - 1].key > entry.key; --place) bucket[place] = bucket[place - 1];
    bucket[place] = entry;
  }
  void refill_first_bucket();
  void spread_first_bucket();
  void make_room_in_first();
  void make_room(Bucket& bucket);
  void clear_first_bucket();
  static void ask_for(const Bucket& entries);
  void prepare_next() const {
    fetch(buckets_[0][next_of_first_ + fetched_ahead].action, lines_of_action);
    buckets_[0][next_of_first_ + prepared_ahead].action->prepare();
  }

  std::array<Bucket, bucket_count> buckets_;
  std::vector<Bucket> spare_;  // empty buckets of large capacity, for the next bucket that needs one
  std::array<std::uint64_t, bucket_count> least_keys_ = no_keys();  // of buckets 1 and up
  std::size_t next_of_first_ = 0;                                   // in bucket 0; those before it are taken
  std::uint64_t non_empty_ = 0;                                     // bit i−1: bucket i is not empty
  std::uint64_t base_key_ = 0;
  std::size_t sorted_buckets_ = 0;  // 0: not sorted, all of bucket 0 is due at base_key_
  std::uint64_t last_key_ = 0;
  std::size_t size_ = 0;
};

}  // namespace starling
