#include "algorithms/collectives/evaluation/ring_traffic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace starling {

RingTraffic::RingTraffic(const RingEvaluator& rings, LinkWatch& watch)
    : rings_(rings), watch_(watch), under_way_(rings.hops().size()) {
  const Routes& routes = rings.network().routes();
  for (Rank rank = 0; rank < routes.workers(); ++rank)
    routes_.push_back(routes.route(rank, Ring(rank, routes.workers()).right()));
  watch.keep_activities_since(0);
}

void RingTraffic::add(EvaluatedRing ring, std::vector<Activity> activities) {
  tell();
  watch_.keep_activities_since(std::ranges::min(ring.before, {}, &RankState::begin_s).begin_s);
  ring_ = std::move(ring);
  activities_ = std::move(activities);
}

void RingTraffic::end() {
  tell();
  for (std::size_t rank = 0; rank < routes_.size(); ++rank)
    end_arrived(rank, std::numeric_limits<double>::infinity());
}

void RingTraffic::tell() {
  if (!ring_) return;
  const FreeRoutes& network = rings_.network();
  StepRules rules(network, ring_->chunks);
  RingOfRanks ring(rules, rings_.hops(), network, ring_->before);
  const int ranks = static_cast<int>(routes_.size());
  for (int step = ring_->first_step; step < ring_->end_step; ++step) {
    ring.step(step, step < ranks - 1 ? network.costs().reduction_s_per_byte : 0);
    tell_step(step, ring);
  }
  ring_.reset();
}

void RingTraffic::tell_step(int step, const RingOfRanks& ring) {
  for (std::size_t rank = 0; rank < routes_.size(); ++rank) {
    const std::size_t size = ring.size_sent(rank, step);
    if (ring_->chunks.bytes[size] > 0) send(rank, size, ring);
  }
}

void RingTraffic::send(std::size_t rank, std::size_t size, const RingOfRanks& ring) {
  const FreeRoutes& network = rings_.network();
  const Leg& leg = ring.leg(rank, size);
  const Sent& sent = ring.sent(rank);
  const double bytes = network.wire_bytes(ring_->chunks.bytes[size], rings_.hops()[rank]);
  end_arrived(rank, sent.ready_s);
  const bool is_first = sent.ready_s == ring_->before[rank].begin_s;
  const Activity activity =
      is_first ? activities_[rank] : watch_.activity_at(static_cast<Rank>(rank), sent.ready_s);
  for (const LinkIndex link : routes_[rank]) watch_.begin(link, bytes, activity);
  under_way_[rank].push_back({sent.arrival_s, bytes});
  const double free_s = ring.before(rank).free_s;
  if (leg.is_small && !(network.rules().keep_order && free_s > sent.ready_s)) return;
  const double start_s = std::max(sent.ready_s, free_s);
  const LinkWatch::When when = watch_.when(start_s, start_s + leg.transmission_s);
  for (const LinkIndex link : routes_[rank]) watch_.carry(link, bytes, when);
}

/// What arrives at the moment at which something is sent is not under way with it.
void RingTraffic::end_arrived(std::size_t rank, double now_s) {
  std::vector<UnderWay>& messages = under_way_[rank];
  const auto is_over = [now_s](const UnderWay& message) {
    return message.arrival_s <= now_s || are_simultaneous(message.arrival_s, now_s);
  };
  const auto first_left = std::ranges::find_if_not(messages, is_over);
  for (auto message = messages.begin(); message != first_left; ++message)
    for (const LinkIndex link : routes_[rank]) watch_.end(link, message->bytes);
  messages.erase(messages.begin(), first_left);
}

}  // namespace starling
