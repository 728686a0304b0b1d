#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/train.hpp"

namespace starling {

/// The most bytes that were ever under way from each rank of evaluated rings to the next one.
///
/// Costs O(1) for a train, and for each of those before it whose messages are still under way; for each
/// message while those are of another size.
class RingUnderWay {
 public:
  explicit RingUnderWay(std::size_t ranks) : hops_(ranks) {}

  /// Adds a train that the rank sends after all that it has sent before, of messages of `bytes` each.
  void send(std::size_t rank, const Train& train, double bytes);

  /// Whether `bytes` of a ring whose trains are not sent here, with what is still under way at `begin_s`, may
  /// be more than the most so far.
  bool may_be_most(std::size_t rank, double begin_s, double bytes) const;
  double most_bytes(std::size_t rank) const { return hops_[rank].most_bytes; }

 private:
  /// The last messages of a train, some of which may be under way.
  struct Left {
    EvenTimes arrival;
    std::int64_t messages;
    double bytes;     // of each
    bool have_begun;  // to arrive

    /// When they begin to arrive, or else when the last one does.
    double changes_s() const { return have_begun ? arrival.of(messages - 1) : arrival.first_s; }
    std::int64_t number_at(double now_s) const;
    void end_arrived(double now_s);
    bool append(const Left& other);
  };
  struct OfHop {
    double most_bytes = 0;
    std::vector<Left> left = {};

    std::int64_t note(const Train& train, double bytes, std::int64_t message);
    std::int64_t last_before_change(const Train& train, double bytes, std::int64_t message) const;
  };

  std::vector<OfHop> hops_;
};

}  // namespace starling
