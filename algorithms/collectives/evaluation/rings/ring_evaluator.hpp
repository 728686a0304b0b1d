#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/rings/evaluated_ring.hpp"
#include "algorithms/collectives/evaluation/rings/rank_state.hpp"
#include "algorithms/collectives/evaluation/rings/ring_chunks.hpp"
#include "algorithms/collectives/evaluation/rings/ring_hops.hpp"
#include "algorithms/collectives/evaluation/shared/evaluation.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/hop.hpp"
#include "algorithms/collectives/schedules/ring.hpp"

namespace starling {

/// Whether no two hops of a ring of all workers share a link, as in any star, switch tree or torus in rank
/// order. O(links of its hops).
bool are_ring_hops_disjoint(const Routes& routes);

/// Computes when the ranks of a ring of all workers complete it, without strands or messages, as a max-plus
/// recurrence over its steps. A rank's step begins when its previous step ended. Its message leaves o later
/// and flows to the next rank behind the earlier messages of the hop (a message of one packet passes
/// between their packets); under rendezvous, a request and an answer precede it. The step ends o (and γ per
/// byte reduced) after the received message has arrived, but not before the rank's own send is complete.
///
/// Messages from r to r+1 must have their route to themselves (are_ring_hops_disjoint). If all hops are
/// alike, or repeat from host to host with few exceptions, ranks whose times differ only by a constant shift
/// are computed once (RingOfRuns): few ranks if all enter together, fewer and fewer if not. Else a step is
/// one pass over arrays, O(P); if all chunks have one size, steps are no longer computed one by one once all
/// ranks advance evenly.
///
/// The result equals the message-by-message run up to rounding if is_exact is true and nothing else uses the
/// links, the ranks' message processors and their reduction units meanwhile. It is false if other connections
/// use the links, and, if small messages take links, when they pass messages of an earlier ring that still
/// wait.
class RingEvaluator {
 public:
  /// Empty if two hops of the ring share a link, or for a single worker. `network` must outlive it.
  static std::optional<RingEvaluator> make(FreeRoutes& network);

  /// Whether the ring can be evaluated. False for rings of another number of ranks; for two ranks under
  /// rendezvous, which wait for each other's answers; and, if small messages take links, for rings of both
  /// small and other messages.
  bool can_follow(const RingSchedule& schedule, double bytes_per_element) const;

  /// Evaluates the next ring, for which can_follow() must hold. `begin_s`: when each rank enters it.
  Evaluation evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                      double bytes_per_element);
  /// The ring that was evaluated last.
  const EvaluatedRing& last() const { return last_; }

  const FreeRoutes& network() const { return network_; }
  const RingHops& hops() const { return hops_; }

 private:
  RingEvaluator(FreeRoutes& network, std::vector<Hop> hops);

  Rank right(std::size_t rank) const;
  std::span<const LinkIndex> route(std::size_t rank) const;
  std::vector<RankState> states(std::span<const double> begin_s, bool& is_in_order) const;
  bool are_all_small(const ChunkSizes& chunks) const;
  bool have_waited(const RankState& before, const RankState& after) const;
  void note_small(std::span<const RankState> after);
  bool take_links(const ChunkSizes& chunks, std::span<const RankState> before,
                  std::span<const RankState> after);

  FreeRoutes& network_;
  RingHops hops_;
  std::vector<double> last_free_s_;  // by rank: when the last queued message of the previous rings has left,
  std::vector<double> last_departure_s_;  // and when it began to flow
  EvaluatedRing last_;
};

}  // namespace starling
