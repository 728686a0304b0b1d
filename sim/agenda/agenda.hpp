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

class Causes;

/// Something that happens at a point in time.
class TimedAction {
 public:
  virtual ~TimedAction() = default;
  virtual void happen() = 0;
  /// happen() for a run whose causes are recorded: first reports to `causes` the step that ends at `now_s`,
  /// if there is one, then happens.
  virtual void happen_explained([[maybe_unused]] Causes& causes, [[maybe_unused]] double now_s) { happen(); }
  /// Called shortly before it happens, more than once perhaps: may ask for memory that it will need (fetch),
  /// nothing else.
  virtual void prepare() const {}
  /// Where Causes keep the low 32 bits of the number of the step that ends when this happens (0: none); null
  /// if the action records no causes. Whoever overrides this must override happen_explained(), too.
  virtual std::uint32_t* ended_step() { return nullptr; }
};

/// The simulator's event queue (future event list): a monotone radix heap of timed actions; those of equal
/// time come out in the order they were put in.
///
/// Times are seconds ≥ 0 and never earlier than the last one taken out, which is what a simulation asks for;
/// put and take then cost O(1) amortized, at most 64 moves per entry and none of those that are all due at
/// the same time, with all entries in a few contiguous arrays. A bucket of up to 32 entries is sorted in
/// place of being spread over others, and takes up what comes in between, as long as that makes no more than
/// 64. For non-negative doubles the order of the bit patterns is the order of the values, so the patterns are
/// the integer keys. Reference: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path
/// problem", J. ACM 37(2), 1990.
class Agenda {
 public:
  bool is_empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// @throws InvariantError if the time is before the last one taken, negative, or not a number.
  void put(double time_s, TimedAction& action) {
    const std::uint64_t key = std::bit_cast<std::uint64_t>(time_s + 0.0);  // + 0.0 turns −0 into 0
    STARLING_INVARIANT(time_s >= 0 && key >= last_key_);
    if (bucket_of(key) > sorted_buckets_)
      add({key, &action});
    else
      insert({key, &action});
    ++size_;
  }

  /// The earliest time, in O(1). Must not be empty.
  double next_time_s() const;

  /// Removes and returns the first action of the earliest time, which last_time_s() then tells. Must not be
  /// empty.
  TimedAction& take() {
    if (next_of_first_ == buckets_[0].size()) refill_first_bucket();
    --size_;
    if (next_of_first_ + fetched_ahead < buckets_[0].size()) prepare_next();
    const Entry& next = buckets_[0][next_of_first_++];
    last_key_ = next.key;
    return *next.action;
  }

  /// When the action taken last was due; 0 before the first.
  double last_time_s() const { return std::bit_cast<double>(last_key_); }

 private:
  struct Entry {
    std::uint64_t key;
    TimedAction* action;
  };
  using Bucket = std::vector<Entry>;

  /// Bucket i holds the entries whose highest bit that differs from base_key_ is bit i−1, bucket 0 those due
  /// then; or, sorted, all those of the buckets up to sorted_buckets_, which are empty then.
  static constexpr std::size_t bucket_count = 65;
  /// How many entries of a bucket are sorted, and up to how many are kept so as others come.
  static constexpr std::size_t sorted_at_once = 32;
  static constexpr std::size_t most_sorted = 64;
  /// So many turns before its own, memory is asked for an action, and later for what the action needs: of
  /// thousands that happen at the same time, all lies far away.
  static constexpr std::size_t fetched_ahead = 12;
  static constexpr std::size_t prepared_ahead = 5;
  static constexpr int lines_of_action = 2;
  /// The same where they happen at different times: those of a bucket that time reaches come next, in an
  /// order that is found as they spread over ever smaller buckets. What fewer entries need is in the cache
  /// anyway.
  static constexpr std::size_t far_entries = 512;
  static constexpr std::size_t fetched_among = 1024;
  static constexpr std::size_t prepared_among = 16;
  /// How many entries a bucket has room for that gives its memory to another one: a mebibyte.
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
  /// The first bucket after bucket 0 that holds something; there must be one.
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
  /// Puts the entry into bucket 0, before those that are due later.
  void insert(const Entry& entry) {
    Bucket& first = buckets_[0];
    if (first.size() == first.capacity()) [[unlikely]]
      make_room_in_first();
    first.push_back(entry);
    sink(first, next_of_first_, first.size() - 1);
    if (sorted_buckets_ > 0 && first.size() - next_of_first_ > most_sorted) [[unlikely]]
      spread_first_bucket();
  }
  /// Moves an entry before those from `begin` on that are due later.
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
  std::vector<Bucket> spare_;  // empty ones with much room, for whichever bucket needs that next
  std::array<std::uint64_t, bucket_count> least_keys_ = no_keys();  // of bucket 1 and those after it
  std::size_t next_of_first_ = 0;                                   // those before it in bucket 0 are taken
  std::uint64_t non_empty_ = 0;                                     // bit i−1: bucket i holds something
  std::uint64_t base_key_ = 0;
  std::size_t sorted_buckets_ = 0;  // 0: none, all of bucket 0 is due at base_key_
  std::uint64_t last_key_ = 0;
  std::size_t size_ = 0;
};

}  // namespace starling
