#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "sim/routes.hpp"

namespace starling {

/// What a message costs at its two ends; the same meaning as in a simulated world.
struct EndCosts {
  double overhead_s = 0;            // o, on sending and again on receiving
  double reduction_s_per_byte = 0;  // γ
};

/// True if two moments may be in either order after the rounding of thousands of sums.
inline bool are_simultaneous(double one_s, double other_s) {
  constexpr double rounding = 1e-11;
  return std::abs(one_s - other_s) <= rounding * std::abs(one_s);
}

/// When each rank is done with a collective.
struct Evaluation {
  std::vector<double> end_s;
  /// False if the order of two events of the same moment matters, or messages met on a link in an order that
  /// the evaluator does not follow; end_s is an estimate then, and a run message by message decides.
  bool is_exact = true;
  std::uint64_t messages = 0;
};

/// Computes what a run of a schedule over the `event` network would take, without strands or messages, as a
/// max-plus recurrence over the rounds: a rank's round begins when its last one ended; its message leaves o
/// later, passes the links of its route cut-through behind those that were there before it (a message of one
/// packet passes between theirs), and the round ends o (and γ per byte reduced) after what it waits for has
/// arrived.
///
/// The result equals the message-by-message run up to rounding if is_exact is true and
/// - nothing else uses the links, the ranks' message processors and their reduction units meanwhile;
/// - all messages are eager (no rendezvous), and the links are idle when the first rank arrives;
/// - α > 0.
/// It is false where messages of two senders reach a link at the same moment, or a later one overtakes an
/// earlier one and they share it; and where, with o > 0, a message arrives at the very moment at which its
/// receiver begins the round: a rank that streams messages shorter than o does that.
///
/// Rings whose routes from each rank to the next share no link (any star, switch tree or torus in rank order)
/// take one pass over arrays per step, O(1) per step once all ranks advance evenly. Everything else goes rank
/// by rank in time order, O(log P) per message.
class Evaluator {
 public:
  /// `routes` must outlive the evaluator.
  Evaluator(const Routes& routes, const EndCosts& costs) : routes_(routes), costs_(costs) {}

  /// begin_s: when each rank of the schedule arrives. `members`: the world's rank of each rank of the
  /// schedule; empty if they are the same. @throws InvariantError if the sizes do not match.
  Evaluation evaluate(const Schedule& schedule, std::span<const double> begin_s, double bytes_per_element,
                      std::span<const Rank> members = {}) const;

 private:
  const Routes& routes_;
  EndCosts costs_;
};

}  // namespace starling
