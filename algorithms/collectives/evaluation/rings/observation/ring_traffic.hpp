#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/rings/observation/ring_trains.hpp"
#include "algorithms/collectives/evaluation/rings/observation/ring_under_way.hpp"
#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"
#include "algorithms/collectives/evaluation/rings/ring_legs.hpp"
#include "sim/activity.hpp"
#include "sim/networks/link_watch.hpp"

namespace starling {

/// Reports to a LinkWatch what links carry for evaluated rings, as a network would report their messages.
/// Small messages must not take links (SmallMessageRules::take_links).
///
/// Computes each ring again, train by train. If the statistics do not depend on when each message was sent,
/// it only adds up the bytes of each rank instead: if the ring lies within one period, no rank changes its
/// activity during it, and too few bytes are in flight at a time to be the maximum.
class RingTraffic {
 public:
  /// Both must outlive this object.
  RingTraffic(const RingEvaluator& rings, LinkWatch& watch);

  /// Begins the next ring. `activities`: the activity of each rank when it entered the ring. From the first
  /// rank's entry until the call of end(), the watch must keep a history of activities.
  void begin(EvaluatedRing ring, std::vector<Activity> activities);
  /// Reports the ring, which all ranks have completed.
  void end();

 private:
  /// The hop from a rank to the next one, and what has not been reported of it yet.
  struct OfHop {
    std::span<const LinkIndex> route = {};
    std::size_t next_in_history = 0;  // index in the history of the sender's activities
    double bytes_while = 0;           // bytes sent during the sender's present activity,
    double until_s = 0;               // which ends at this time
    std::size_t period = 0;           // the last period in which the hop carried anything,
    double carried_bytes = 0;         // and the bytes carried in it
  };
  /// A ring that was only added up, and the most bytes of it that can have been in flight at a time.
  struct LeftOut {
    EvaluatedRing ring;
    std::vector<double> most_bytes;  // on a hop, by the kind of hop
  };

  void find_sizes(const ChunkSizes& chunks);
  double wire_bytes(std::size_t rank, std::size_t size) const {
    return wire_bytes_[rings_.hops().kind_of[rank]][size];
  }
  /// The index of the smallest chunk size that is sent: 1 if the smaller chunks are empty, else 0.
  std::size_t first_size_sent() const { return chunks_.bytes[0] > 0 ? 0 : 1; }
  std::vector<double> least_times_s() const;
  std::vector<double> most_under_way() const;
  bool may_be_most(std::span<const double> most_bytes) const;
  bool is_in_period() const;
  bool can_leave_out(std::vector<double> most_bytes) const;
  bool are_activities_kept() const;
  bool do_all_flow_alike() const;
  void report_at_once();
  void note_left_out();
  void report_by_trains();
  void report_sent(std::size_t rank, const Train& train);
  void report_carried(std::size_t rank, const Train& train);
  void find_activity(std::size_t rank, double now_s);
  void end_activity(std::size_t rank);
  void carry_in(std::size_t rank, std::size_t period, double bytes);
  void end_period(std::size_t rank);

  const RingEvaluator& rings_;
  LinkWatch& watch_;
  std::size_t ranks_;
  RingTrains trains_;
  std::vector<OfHop> hops_;
  EvaluatedRing ring_;                // not reported yet
  std::optional<LeftOut> left_out_;   // the previous ring, if it was only added up
  std::vector<Activity> activities_;  // by rank: its present activity
  // Of the ring set by find_sizes():
  ChunkSizes chunks_;
  std::vector<Legs> legs_;                         // by the kind of hop
  std::vector<std::array<double, 2>> wire_bytes_;  // by the kind of hop and the size of the chunk
  bool are_small_ = false;                         // some messages are small
  bool are_alike_ = false;                         // all messages are small, or none
  RingUnderWay under_way_;
};

}  // namespace starling
