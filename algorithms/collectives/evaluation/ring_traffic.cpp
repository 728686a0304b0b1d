#include "algorithms/collectives/evaluation/ring_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace starling {

RingTraffic::RingTraffic(const RingEvaluator& rings, LinkWatch& watch)
    : rings_(rings), watch_(watch), hops_(rings.hops().size()) {
  const Routes& routes = rings.network().routes();
  for (Rank rank = 0; rank < routes.workers(); ++rank)
    hops_[static_cast<std::size_t>(rank)].route = routes.route(rank, Ring(rank, routes.workers()).right());
}

void RingTraffic::begin(EvaluatedRing ring, std::vector<Activity> activities) {
  ring_ = std::move(ring);
  activities_ = std::move(activities);
}

void RingTraffic::end() {
  for (const RankState& rank : ring_.after) watch_.reach(std::max(rank.begin_s, rank.free_s));
  for (std::size_t rank = 0; rank < hops_.size(); ++rank) {
    hops_[rank].activity = activities_[rank];
    hops_[rank].until_s = std::nextafter(ring_.before[rank].begin_s, std::numeric_limits<double>::infinity());
    hops_[rank].next_in_history = 0;
  }
  const FreeRoutes& network = rings_.network();
  legs_ = legs_of(ring_.chunks, rings_.hops(), network);
  wire_bytes_.clear();
  for (const Hop& hop : rings_.hops().kinds)
    wire_bytes_.push_back(
        {network.wire_bytes(ring_.chunks.bytes[0], hop), network.wire_bytes(ring_.chunks.bytes[1], hop)});
  RingReplay replay(rings_, ring_, ring_.first_step, ring_.before);
  for (int step = ring_.first_step; step < ring_.end_step; ++step)
    replay.step([&](const auto& ring) { tell_step(replay, ring); });
  for (OfHop& hop : hops_) {
    tell_carried(hop);
    tell_sent(hop);
    for (const LinkIndex link : hop.route) watch_.had_under_way(link, hop.most_bytes);
  }
}

template <typename RingOf>
void RingTraffic::tell_step(const RingReplay& replay, const RingOf& ring) {
  const FreeRoutes& network = rings_.network();
  for (std::size_t rank = 0; rank < hops_.size(); ++rank) {
    const std::size_t size = replay.size_sent(rank);
    if (!replay.is_sent(size)) continue;
    const std::uint32_t kind = rings_.hops().kind_of[rank];
    const Leg& leg = legs_[kind][size];
    const double bytes = wire_bytes_[kind][size];
    const double ready_s = ring.ready_s(rank);
    const double free_s = ring.free_before_s(rank);
    send(rank, ready_s, ring.arrival_s(rank), bytes);
    if (network.passes(leg, ready_s, free_s)) continue;
    const double start_s = network.start_s(leg, ready_s, free_s);
    carry(hops_[rank], start_s, start_s + leg.transmission_s, bytes);
  }
}

void RingTraffic::send(std::size_t rank, double sent_s, double arrival_s, double bytes) {
  OfHop& hop = hops_[rank];
  if (hop.bytes > 0) end_arrived(hop, sent_s);
  hop.messages.push_back({arrival_s, bytes});
  hop.last_arrival_s = std::max(hop.last_arrival_s, arrival_s);
  hop.bytes += bytes;
  hop.most_bytes = std::max(hop.most_bytes, hop.bytes);
  if (sent_s >= hop.until_s) find_activity(rank, sent_s);
  hop.bytes_while += bytes;
}

/// What the sender is at from when it is done with the ring on, it is at after what it sends in it, even if
/// that is at the same moment.
void RingTraffic::find_activity(std::size_t rank, double now_s) {
  OfHop& hop = hops_[rank];
  tell_sent(hop);
  const std::span<const LinkWatch::Since> history = watch_.history(static_cast<Rank>(rank));
  const double end_s = ring_.after[rank].begin_s;
  const auto is_known = [&](std::size_t next) { return next < history.size() && history[next].s < end_s; };
  std::size_t& next = hop.next_in_history;
  for (; is_known(next) && history[next].s <= now_s; ++next) hop.activity = history[next].activity;
  hop.until_s = is_known(next) ? history[next].s : std::numeric_limits<double>::infinity();
}

/// In another period, or in several.
void RingTraffic::carry_elsewhere(OfHop& hop, double begin_s, double end_s, double bytes) {
  const LinkWatch::When when = watch_.when(begin_s, end_s);
  if (when.first != when.last) {
    for (const LinkIndex link : hop.route) watch_.carry(link, bytes, when);
    return;
  }
  tell_carried(hop);
  hop.period = when.first;
  hop.period_begin_s = static_cast<double>(when.first) * watch_.period_s();
  hop.period_end_s = hop.period_begin_s + watch_.period_s();
  hop.carried_bytes = bytes;
}

void RingTraffic::tell_carried(OfHop& hop) {
  const double bytes = std::exchange(hop.carried_bytes, 0);
  hop.period_end_s = 0;
  if (bytes == 0) return;
  for (const LinkIndex link : hop.route) watch_.carry_in(hop.period, link, bytes);
}

void RingTraffic::tell_sent(OfHop& hop) {
  const double bytes = std::exchange(hop.bytes_while, 0);
  for (const LinkIndex link : hop.route) watch_.had_sent(link, bytes, hop.activity);
}

/// What arrives at the moment at which something is sent is not under way with it.
void RingTraffic::end_arrived(OfHop& hop, double now_s) {
  const auto is_over = [now_s](double arrival_s) {
    return arrival_s <= now_s || are_simultaneous(arrival_s, now_s);
  };
  if (is_over(hop.last_arrival_s)) {
    hop.messages.clear();
    hop.bytes = 0;
    return;
  }
  std::erase_if(hop.messages, [&](const UnderWay& message) {
    if (!is_over(message.arrival_s)) return false;
    hop.bytes -= message.bytes;
    return true;
  });
}

}  // namespace starling
