#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace starling {

/// Something that happens at a point in time.
class TimedAction {
 public:
  virtual void happen() = 0;

 protected:
  ~TimedAction() = default;
};

/// What will happen when: a monotone radix heap of timed actions; those of equal time come out in the order they were put in.
///
/// Times are seconds ≥ 0 and never earlier than the last one taken out, which is what a simulation asks for; put and take
/// then cost O(1) amortised, at most 64 moves per entry, with all entries in a few contiguous arrays. For non-negative doubles the order of
/// the bit patterns is the order of the values, so the patterns are the integer keys.
/// Reference: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", J. ACM 37(2), 1990.
class Agenda {
 public:
  bool is_empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// @throws InvariantError if the time is before the last one taken, negative, or not a number.
  void put(double time_s, TimedAction& action);

  /// The earliest time. Must not be empty.
  double next_time_s();

  /// Removes and returns the first action of the earliest time. Must not be empty.
  TimedAction& take();

 private:
  struct Entry {
    std::uint64_t key;
    TimedAction* action;
  };

  /// Buckets of which the i-th holds keys whose highest bit that differs from last_key_ is bit i−1; bucket 0 is last_key_ itself.
  static constexpr std::size_t bucket_count = 65;

  std::size_t bucket_of(std::uint64_t key) const;
  void refill_first_bucket();

  std::array<std::vector<Entry>, bucket_count> buckets_;
  std::size_t taken_from_first_ = 0;
  std::uint64_t occupied_ = 0;  // bit i−1: bucket i holds something
  std::uint64_t last_key_ = 0;
  std::size_t size_ = 0;
};

}  // namespace starling
