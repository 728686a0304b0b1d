#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/evaluator.hpp"
#include "algorithms/collectives/schedules/ring.hpp"

namespace starling {

/// The evaluator for a ring whose messages share no link with others: all ranks step by step over contiguous
/// arrays.
///
/// As messages from r to r+1 have their route to themselves, the route acts as one link with the sum of its
/// latencies and its least bandwidth. Empty if two routes share a link, or RingEvaluator cannot follow the
/// schedule.
std::optional<Evaluation> evaluate_ring(const RingSchedule& schedule, std::span<const double> begin_s,
                                        double bytes_per_element, std::span<const Rank> members,
                                        const Routes& routes, const EndCosts& costs);

/// The same for rings of all workers that follow one another: keeps in mind how long each hop stays busy.
class RingEvaluator {
 public:
  /// Empty if two routes share a link, or for a single worker.
  static std::optional<RingEvaluator> make(const Routes& routes, const EndCosts& costs);

  /// False if there are fewer elements than ranks, or if some messages slip between the packets of others and
  /// some wait.
  static bool can_follow(const RingSchedule& schedule, double bytes_per_element);

  /// Evaluates the next ring, one that it can follow. Not exact if messages slip past some of an earlier ring
  /// that still wait.
  Evaluation evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                      double bytes_per_element);

  /// The route from a rank to the next as one link.
  struct Hop {
    double latency_s = 0;
    double s_per_byte = 0;
    bool operator==(const Hop&) const = default;
  };

 private:
  friend std::optional<Evaluation> evaluate_ring(const RingSchedule&, std::span<const double>, double,
                                                 std::span<const Rank>, const Routes&, const EndCosts&);
  RingEvaluator(std::vector<Hop> hops, const EndCosts& costs);
  bool overtakes(std::span<const double> begin_s) const;
  void note_last_departures(const double* bytes);

  std::vector<Hop> hops_;
  EndCosts costs_;
  std::vector<double> free_s_;            // when the hop from each rank is free,
  std::vector<double> last_departure_s_;  // and when its last message that waits its turn began to flow
};

}  // namespace starling
