#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "algorithms/collectives/evaluation/ring_of_ranks.hpp"
#include "sim/activity.hpp"
#include "sim/networks/link_watch.hpp"

namespace starling {

/// What links carry of evaluated rings: goes through each again, rank by rank, and tells of every message
/// what the network would. Only where small messages take no links, as under `fair`.
class RingTraffic {
 public:
  /// Both must outlive this object.
  RingTraffic(const RingEvaluator& rings, LinkWatch& watch);

  /// The next ring. `activities`: what each rank was at when it came. What it will be at in the course of the
  /// ring will be known when all have come to the next one.
  void add(EvaluatedRing ring, std::vector<Activity> activities);
  /// All that were added are over.
  void end();

 private:
  struct UnderWay {
    double arrival_s;
    double bytes;
  };

  void tell();
  void tell_step(int step, const RingOfRanks& ring);
  void send(std::size_t rank, std::size_t size, const RingOfRanks& ring);
  void end_arrived(std::size_t rank, double now_s);

  const RingEvaluator& rings_;
  LinkWatch& watch_;
  std::vector<std::span<const LinkIndex>> routes_;  // from each rank to the next
  std::vector<std::vector<UnderWay>> under_way_;    // on each of them
  std::optional<EvaluatedRing> ring_;               // not told of yet
  std::vector<Activity> activities_;
};

}  // namespace starling
