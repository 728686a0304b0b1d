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
bool is_ring_alone(const Routes& routes);

/// Computes what a ring of all workers takes, without strands or messages, as a max-plus recurrence over its
/// steps: a rank's step begins when its last one ended; its message leaves o later and flows to the next rank
/// behind those that were there before it (a message of one packet passes between theirs); where it waits for
/// its receiver, its request and the answer go before it. The step ends o (and γ per byte reduced) after what
/// the rank waits for has arrived, not before its own send is complete.
///
/// Messages from r to r+1 must have their route to themselves (is_ring_alone). Where all hops are alike, or
/// repeat from host to host but for a few, ranks that are equally far apart are computed once (RingOfRuns): a
/// few of them if all begin together, fewer and fewer if not. Else a step is one pass over arrays, O(P), and
/// over as soon as all ranks advance evenly with chunks that are alike.
///
/// The result equals the message-by-message run up to rounding if is_exact is true, and nothing else uses
/// the links, the ranks' message processors and their reduction units meanwhile. It is false where links are
/// in use by others, and, where small messages take links, where they slip past others of an earlier ring
/// that still wait.
class RingEvaluator {
 public:
  /// Empty if two routes from rank to rank share a link, or for a single worker. `network` must outlive it.
  static std::optional<RingEvaluator> make(FreeRoutes& network);

  /// False for rings of other sizes, for two ranks that wait for each other's answers, and, where small
  /// messages take links, for chunks of which some are small.
  bool can_follow(const RingSchedule& schedule, double bytes_per_element) const;

  /// Evaluates the next ring, one that it can follow. begin_s: when each rank comes to it.
  Evaluation evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                      double bytes_per_element);
  /// The last one.
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
  std::vector<double> last_free_s_;       // when the last ring's messages have left, and when the last of
  std::vector<double> last_departure_s_;  // those that wait their turn began to flow
  EvaluatedRing last_;
};

}  // namespace starling
