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

/// What links carry of evaluated rings, as the network would tell of their messages. Only where small
/// messages take no links, as under `fair`.
///
/// Goes through each again, rank by rank, for some ns a message; but not where nobody could tell when each
/// message was sent: in one period, while all ranks stay at the same, and too few at a time to be the most
/// under way. Then it adds up what ranks have sent, at less than a ns a message.
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
  /// A ring that was not gone through, and the most of it that can have been under way at a time.
  struct LeftOut {
    EvaluatedRing ring;
    double most_bytes;
  };

  void find_sizes(const ChunkSizes& chunks);
  const double* bytes_sent(int step);
  double most_bytes_of_message() const;
  double most_under_way() const;
  bool can_leave_out(double most_bytes) const;
  bool are_activities_kept() const;
  bool do_all_flow_alike() const;
  void tell_at_once();
  void note_left_out();
  void tell_step_by_step();
  template <typename See>
  void go_through(const EvaluatedRing& ring, const See& see);
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
  std::optional<LeftOut> left_out_;   // the last one, if some of it may still be under way
  std::vector<Activity> activities_;  // what each rank is at
  ChunkSizes chunks_;                 // of the ring that is looked at; by the kind of hop:
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
