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

/// Tells a link watch what links carry of evaluated rings, as the network would tell of their messages. Only
/// where small messages take no links.
///
/// Computes each ring again, train by train; but where nobody could tell when each message was sent, it only
/// adds up what ranks have sent: where the ring lies in one period, while no rank changes its activity, and
/// with too few bytes under way at a time to be the most.
class RingTraffic {
 public:
  /// Both must outlive this object.
  RingTraffic(const RingEvaluator& rings, LinkWatch& watch);

  /// The next ring. `activities`: that of each rank when it came to the ring. From when the first rank has
  /// come until end() is called, the watch must keep a history.
  void begin(EvaluatedRing ring, std::vector<Activity> activities);
  /// All ranks are done with the ring.
  void end();

 private:
  /// The hop from a rank to the next one, and what the watch has not been told of it yet.
  struct OfHop {
    std::span<const LinkIndex> route = {};
    std::size_t next_in_history = 0;  // of its sender
    double bytes_while = 0;           // sent while the sender has its present activity,
    double until_s = 0;               // which it has until then
    std::size_t period = 0;           // the last one in which the hop carried anything,
    double carried_bytes = 0;         // and what it carried in it
  };
  /// A ring that was added up only, and the most of it that can have been under way at a time.
  struct LeftOut {
    EvaluatedRing ring;
    std::vector<double> most_bytes;  // from a rank, by the kind of hop
  };

  void find_sizes(const ChunkSizes& chunks);
  double wire_bytes(std::size_t rank, std::size_t size) const {
    return wire_bytes_[rings_.hops().kind_of[rank]][size];
  }
  /// 1 where chunks are so few that the smaller ones are empty, and not sent.
  std::size_t first_size_sent() const { return chunks_.bytes[0] > 0 ? 0 : 1; }
  std::vector<double> least_times_s() const;
  std::vector<double> most_under_way() const;
  bool may_be_most(std::span<const double> most_bytes) const;
  bool is_in_period() const;
  bool can_leave_out(std::vector<double> most_bytes) const;
  bool are_activities_kept() const;
  bool do_all_flow_alike() const;
  void tell_at_once();
  void note_left_out();
  void tell_by_trains();
  void tell_sent(std::size_t rank, const Train& train);
  void tell_carried(std::size_t rank, const Train& train);
  void find_activity(std::size_t rank, double now_s);
  void end_activity(std::size_t rank);
  void carry_in(std::size_t rank, std::size_t period, double bytes);
  void end_period(std::size_t rank);

  const RingEvaluator& rings_;
  LinkWatch& watch_;
  std::size_t ranks_;
  RingTrains trains_;
  std::vector<OfHop> hops_;
  EvaluatedRing ring_;                // not told of yet
  std::optional<LeftOut> left_out_;   // the last one, if some of it may still be under way
  std::vector<Activity> activities_;  // what each rank is at
  ChunkSizes chunks_;                 // of the ring that is looked at; by the kind of hop:
  std::vector<Legs> legs_;
  std::vector<std::array<double, 2>> wire_bytes_;
  bool are_small_ = false;  // all that are sent
  bool are_alike_ = false;  // or none
  RingUnderWay under_way_;
};

}  // namespace starling
