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

/// Computes when each rank ends a collective, round by round for all ranks at once. A message must be
/// received in the round (number) in which it is sent: recursive doubling, halving-doubling, double tree,
/// hierarchical, and the rings that RingEvaluator cannot follow, such as those whose hops share links.
///
/// The equations are those of RingEvaluator. Every message is held against the other uses of its links: where
/// two connections use one at the same time, as they do where networks are oversubscribed, and where ranks
/// that come late let messages of two rounds meet, the result is not exact, and says so.
///
/// O(messages · hops) time, 30 to 80 ns a message, O(P log P) memory for the routes that were asked for.
class RoundEvaluator {
 public:
  /// `network` must outlive this object.
  explicit RoundEvaluator(FreeRoutes& network);

  /// Empty if a message is sent in one round and received in another. begin_s: when each rank comes to it.
  std::optional<Evaluation> evaluate(const Schedule& schedule, std::span<const double> begin_s,
                                     double bytes_per_element);

 private:
  /// The way from a rank to another one.
  struct Way {
    Rank destination = -1;
    std::uint32_t kind = 0;  // of its hop
    std::span<const LinkIndex> links;
  };
  /// A kind of hop, with the legs of the sizes that were sent last.
  struct HopKind {
    Hop hop;
    std::array<double, 2> bytes = {-1, -1};
    std::array<Leg, 2> legs = {};
    std::size_t older = 0;
  };
  /// What a rank does in a round, and what becomes of it.
  struct RankRound {
    Rank destination = -1;  // −1: sends nothing
    Rank source = -1;       // −1: receives nothing
    std::int64_t sent = 0;  // elements
    std::int64_t received = 0;
    bool is_reducing = false;
    double launch_s = 0;
    double request_s = 0;  // it arrives
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

  const Way& way(Rank source, Rank destination);
  const Leg& leg(std::uint32_t kind, double bytes);
  RankRound& at(Rank rank) { return rounds_[static_cast<std::size_t>(rank)]; }
  const RankRound& at(Rank rank) const { return rounds_[static_cast<std::size_t>(rank)]; }
  double begin_s(Rank rank) const { return begin_s_[static_cast<std::size_t>(rank)]; }

  FreeRoutes& network_;
  int ranks_;
  std::vector<std::vector<Way>> ways_;  // by the highest bit in which the ranks differ, by source
  std::map<Hop, std::uint32_t> kind_of_;
  std::vector<std::array<HopKind, 2>> kinds_;  // the same hop, then of a ring

  bool is_ring_ = false;
  double bytes_per_element_ = 0;
  std::vector<double> begin_s_;
  std::vector<RankRound> rounds_;
  bool has_rendezvous_ = false;
  Evaluation evaluation_;
};

}  // namespace starling
