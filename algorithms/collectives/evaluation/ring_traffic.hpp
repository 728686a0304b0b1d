#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "algorithms/collectives/evaluation/ring_replay.hpp"
#include "algorithms/collectives/evaluation/ring_under_way.hpp"
#include "sim/activity.hpp"
#include "sim/networks/link_watch.hpp"

namespace starling {

/// What links carry of evaluated rings: goes through each again, rank by rank, and tells of its messages what
/// the network would. Only where small messages take no links, as under `fair`. Some ns a message.
class RingTraffic {
 public:
  /// Both must outlive this object.
  RingTraffic(const RingEvaluator& rings, LinkWatch& watch);

  /// The next ring. `activities`: what each rank was at when it came. The watch must keep a history from when
  /// the first one has come until all are done with it, and this object is told so.
  void begin(EvaluatedRing ring, std::vector<Activity> activities);
  void end();

 private:
  /// From a rank to the next one.
  struct OfHop {
    std::span<const LinkIndex> route = {};
    std::size_t next_in_history = 0;  // of its sender
  };
  using PerHop = std::vector<double>;

  void find_sizes();
  const double* bytes_sent(const RingReplay& replay);
  template <typename RingOf>
  void tell_step(const RingReplay& replay, const RingOf& ring);
  void tell_sent(const double* bytes);
  void tell_carried(const double* bytes, const RingReplay& replay);
  void carry_each(const double* bytes, const RingReplay& replay);
  bool is_step_in_period() const;
  void begin_period(double time_s);
  std::optional<RingUnderWay::Alike> alike() const;
  void find_activity(std::size_t rank, double now_s);
  void end_period();
  void end_activity(std::size_t rank);

  const RingEvaluator& rings_;
  LinkWatch& watch_;
  std::size_t ranks_;
  std::vector<OfHop> hops_;
  EvaluatedRing ring_;                // not told of yet
  std::vector<Activity> activities_;  // what each rank is at
  // Of its chunks, by the kind of hop:
  std::vector<Legs> legs_;
  std::vector<std::array<double, 2>> wire_bytes_;
  bool are_small_ = false;     // all of them
  bool are_alike_ = false;     // or none
  bool is_in_period_ = false;  // all of the ring
  PerHop chunk_bytes_;  // of chunk i mod P, i = 0 … 2P−1, where hops are alike; else of what is sent
  // In the last step:
  const double* ready_s_ = nullptr;
  const double* arrival_s_ = nullptr;
  PerHop free_s_;
  RingUnderWay under_way_;
  // What the watch has not been told yet: sent while the sender is at the same, which is until then;
  PerHop bytes_while_;
  PerHop until_s_;
  double changes_s_ = 0;  // the first of these
  // carried in a period.
  PerHop carried_bytes_;
  std::size_t period_ = 0;
  double period_begin_s_ = 0;
  double period_end_s_ = 0;
};

}  // namespace starling
