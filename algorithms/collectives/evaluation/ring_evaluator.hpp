#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/schedules/ring.hpp"
#include "sim/messages/message_costs.hpp"
#include "sim/routes.hpp"

namespace starling {

/// When each rank is done with a ring.
struct Evaluation {
  std::vector<double> end_s;
  /// False if the order of two events of the same moment matters, or messages met on a link in an order that
  /// the evaluator does not follow; end_s is an estimate then, and a run message by message decides.
  bool is_exact = true;
  std::uint64_t messages = 0;
};

/// Computes what rings of all workers, one after the other, would take over the `event` network, without
/// strands or messages, as a max-plus recurrence over the steps: a rank's step begins when its last one
/// ended; its message leaves o later and passes the links to the next rank behind those that were there
/// before it (a message of one packet passes between theirs), and the step ends o (and γ per byte reduced)
/// after what it waits for has arrived.
///
/// As messages from r to r+1 must have their route to themselves (in any star, switch tree or torus in rank
/// order), the route acts as one link with the sum of its latencies and its least bandwidth. So a step is one
/// pass over contiguous arrays, and takes O(1) once all ranks advance evenly.
///
/// The result equals the message-by-message run up to rounding if is_exact is true and
/// - nothing else uses the links, the ranks' message processors and their reduction units meanwhile;
/// - all messages are eager (no rendezvous), send buffers and wake-ups play no part;
/// - α > 0.
/// It is false where, with o > 0, a message arrives at the very moment at which its receiver begins the step
/// (a rank that streams messages shorter than o does that), and where messages slip past some of an earlier
/// ring that still wait.
class RingEvaluator {
 public:
  /// Empty if two routes share a link, or for a single worker.
  static std::optional<RingEvaluator> make(const Routes& routes, const MessageCosts& costs);

  /// False if there are fewer elements than ranks, or if some messages slip between the packets of others and
  /// some wait, or have another protocol.
  bool can_follow(const RingSchedule& schedule, double bytes_per_element) const;

  /// Evaluates the next ring, one that it can follow. begin_s: when each rank comes to it.
  Evaluation evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                      double bytes_per_element);

  /// The route from a rank to the next as one link.
  struct Hop {
    double latency_s = 0;
    double s_per_byte = 0;
    bool is_inside_host = false;
    double protocol_latency_s = 0;  // once a message has arrived
    bool operator==(const Hop&) const = default;
  };

 private:
  RingEvaluator(std::vector<Hop> hops, const MessageCosts& costs, const Routes& routes);
  std::vector<Hop> hops_for(double bytes) const;
  bool is_small(double bytes, bool is_inside_host) const;
  bool messages_pass(double bytes) const;
  bool overtakes(std::span<const double> begin_s) const;
  void note_last_departures(const double* bytes, std::span<const Hop> hops);

  std::vector<Hop> hops_;
  MessageCosts costs_;
  ProtocolChoice protocols_;
  bool has_hops_inside_hosts_;
  bool has_hops_between_hosts_;
  std::vector<double> free_s_;            // when the hop from each rank is free,
  std::vector<double> last_departure_s_;  // and when its last message that waits its turn began to flow
};

}  // namespace starling
