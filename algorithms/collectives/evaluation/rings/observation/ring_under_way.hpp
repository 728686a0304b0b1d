#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/train.hpp"

namespace starling {

/// The most bytes in flight at a time on each hop of evaluated rings, that is, from each rank to the next.
///
/// Costs O(1) for a train, plus O(1) for each earlier train with messages still in flight; O(1) per message
/// while messages of another size are in flight.
class RingUnderWay {
 public:
  explicit RingUnderWay(std::size_t ranks) : hops_(ranks) {}

  /// Adds a train of messages of `bytes` each that the rank sends after all its earlier trains.
  void send(std::size_t rank, const Train& train, double bytes);

  /// Whether `bytes` of a ring that is not added here, together with the bytes still in flight at
  /// `begin_s`, may exceed the maximum so far.
  bool may_be_most(std::size_t rank, double begin_s, double bytes) const;
  double most_bytes(std::size_t rank) const { return hops_[rank].most_bytes; }

 private:
  /// The last messages of a train that may still be in flight.
  struct Left {
    EvenTimes arrival;
    std::int64_t messages;
    double bytes;     // of each message
    bool have_begun;  // messages of the train have arrived

    /// When the next change of the rate of arrivals is: the first arrival, or, after it, the last one.
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
