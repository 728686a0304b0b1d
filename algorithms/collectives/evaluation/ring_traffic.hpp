#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "algorithms/collectives/evaluation/ring_replay.hpp"
#include "sim/activity.hpp"
#include "sim/networks/link_watch.hpp"

namespace starling {

/// What links carry of evaluated rings: goes through each again, rank by rank, and tells of its messages what
/// the network would. Only where small messages take no links, as under `fair`. Some 10 ns a message.
class RingTraffic {
 public:
  /// Both must outlive this object.
  RingTraffic(const RingEvaluator& rings, LinkWatch& watch);

  /// The next ring. `activities`: what each rank was at when it came. The watch must keep a history from when
  /// the first one has come until all are done with it, and this object is told so.
  void begin(EvaluatedRing ring, std::vector<Activity> activities);
  void end();

 private:
  struct UnderWay {
    double arrival_s;
    double bytes;
  };
  /// From a rank to the next one.
  struct OfHop {
    std::span<const LinkIndex> route = {};
    // Under way:
    std::vector<UnderWay> messages = {};
    double last_arrival_s = 0;  // of them
    double bytes = 0;
    double most_bytes = 0;
    // What it has carried in a period, from when until when, that the watch has not been told yet:
    std::size_t period = 0;
    double period_begin_s = 0;
    double period_end_s = 0;
    double carried_bytes = 0;
    // What the sender is at, until when, and what it has sent meanwhile that the watch has not been told yet:
    Activity activity = Activity::waiting;
    double until_s = 0;
    std::size_t next_in_history = 0;
    double bytes_while = 0;
  };

  template <typename RingOf>
  void tell_step(const RingReplay& replay, const RingOf& ring);
  void send(std::size_t rank, double sent_s, double arrival_s, double bytes);
  void find_activity(std::size_t rank, double now_s);
  void carry(OfHop& hop, double begin_s, double end_s, double bytes) {
    if (begin_s < hop.period_begin_s || end_s >= hop.period_end_s)
      return carry_elsewhere(hop, begin_s, end_s, bytes);
    hop.carried_bytes += bytes;
  }
  void carry_elsewhere(OfHop& hop, double begin_s, double end_s, double bytes);
  void tell_carried(OfHop& hop);
  void tell_sent(OfHop& hop);
  static void end_arrived(OfHop& hop, double now_s);

  const RingEvaluator& rings_;
  LinkWatch& watch_;
  std::vector<OfHop> hops_;
  EvaluatedRing ring_;  // not told of yet
  // Of its chunks, by the kind of hop:
  std::vector<Legs> legs_;
  std::vector<std::array<double, 2>> wire_bytes_;
  std::vector<Activity> activities_;
};

}  // namespace starling
