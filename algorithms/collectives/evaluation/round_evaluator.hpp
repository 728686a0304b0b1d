#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/shared/evaluation.hpp"
#include "algorithms/collectives/evaluation/shared/free_routes.hpp"
#include "algorithms/collectives/evaluation/shared/hop.hpp"
#include "algorithms/collectives/evaluation/shared/leg.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"

namespace starling {

/// Computes when each rank completes a collective, round by round for all ranks at once. A message must be
/// received in the round number in which it is sent. This holds for recursive doubling, halving-doubling,
/// double tree, hierarchical, and for the rings that RingEvaluator does not support, such as those whose
/// hops share links.
///
/// The equations are those of RingEvaluator. Every message is compared with the other uses of its links.
/// The result is marked as not exact if two connections use a link at the same time, as in oversubscribed
/// networks, or if messages of two rounds meet because ranks are late.
///
/// O(messages · links of a route) time, 30 to 80 ns a message; O(P log P) memory for the routes looked up.
class RoundEvaluator {
 public:
  /// `network` must outlive this object.
  explicit RoundEvaluator(FreeRoutes& network);

  /// Evaluates the next collective. `begin_s`: when each rank enters it. Empty if a message is sent in one
  /// round and received in another.
  std::optional<Evaluation> evaluate(const Schedule& schedule, std::span<const double> begin_s,
                                     double bytes_per_element);

 private:
  /// The route from a rank to another one.
  struct CachedRoute {
    Rank destination = -1;
    std::uint32_t kind = 0;  // index of its hop in kinds_
    std::span<const LinkIndex> links;
  };
  /// A kind of hop, with the legs of the two message sizes that were sent last.
  struct HopKind {
    Hop hop;
    std::array<double, 2> bytes = {-1, -1};
    std::array<Leg, 2> legs = {};
    std::size_t older = 0;
  };
  /// What a rank does in a round, and when.
  struct RankRound {
    Rank destination = -1;  // −1: sends nothing
    Rank source = -1;       // −1: receives nothing
    std::int64_t sent = 0;  // elements
    std::int64_t received = 0;
    bool is_reducing = false;
    double launch_s = 0;
    double request_s = 0;  // arrival of its rendezvous request
    Passage passage = {};
    Leg leg;
    std::span<const LinkIndex> links;
  };

  bool look_up(const Schedule& schedule, int round);
  bool do_rounds_meet() const;
  void send_all();
  void pass(Rank rank, double ready_s);
  void send_requests();
  void answer_requests();
  double answer_s(Rank sender) const;
  double answer_arrival_s(Rank sender, double answer_s);
  double free_s(std::span<const LinkIndex> links, Rank source, Rank destination, double ready_s);
  void answer_each_other(Rank rank);
  void take_links();
  void end_round();

  const CachedRoute& cached_route(Rank source, Rank destination);
  const Leg& leg(std::uint32_t kind, double bytes);
  RankRound& at(Rank rank) { return rounds_[static_cast<std::size_t>(rank)]; }
  const RankRound& at(Rank rank) const { return rounds_[static_cast<std::size_t>(rank)]; }
  double begin_s(Rank rank) const { return begin_s_[static_cast<std::size_t>(rank)]; }

  FreeRoutes& network_;
  int ranks_;
  /// By the highest bit in which the ranks differ, then by source.
  std::vector<std::vector<CachedRoute>> cached_routes_;
  std::map<Hop, std::uint32_t> kind_of_;
  std::vector<std::array<HopKind, 2>> kinds_;  // a hop, outside and inside a ring of all ranks

  bool is_ring_ = false;
  double bytes_per_element_ = 0;
  std::vector<double> begin_s_;
  std::vector<RankRound> rounds_;
  bool has_rendezvous_ = false;
  Evaluation evaluation_;
};

}  // namespace starling
