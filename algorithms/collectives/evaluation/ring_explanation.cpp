#include "algorithms/collectives/evaluation/ring_explanation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/collectives/evaluation/ring_replay.hpp"

namespace starling {
namespace {

/// As many messages as caches hold; of large rings as many steps as there are parts, so that both need as
/// much memory.
int steps_of_part(std::size_t ranks, int steps) {
  constexpr std::size_t messages_of_part = 1 << 13;
  const int of_small_ring = static_cast<int>(messages_of_part / ranks);
  return std::max({1, of_small_ring, static_cast<int>(std::sqrt(steps))});
}

}  // namespace

ExplainedRings::ExplainedRings(const RingEvaluator& rings) : rings_(rings) {
  const Routes& routes = rings_.network().routes();
  for (Rank rank = 0; rank < routes.workers(); ++rank) {
    const Rank right = Ring(rank, routes.workers()).right();
    const Way way = routes.way(rank, right);
    const Way back = routes.way(right, rank);
    blames_.push_back({.arrival = {SpentOn::link, way.slowest, way.latency_s},
                       .back = {SpentOn::link, back.slowest, back.latency_s},
                       .flow = {SpentOn::link, way.slowest},
                       .departure = {SpentOn::link, routes.route(rank, right).front()}});
  }
}

RingExplanation::RingExplanation(ExplainedRings& all, EvaluatedRing ring, std::vector<std::uint64_t> begins)
    : all_(all),
      network_(all.rings().network()),
      overhead_s_(network_.costs().overhead_s),
      ring_(std::move(ring)),
      begins_(std::move(begins)),
      steps_of_part_(steps_of_part(ranks(), ring_.end_step - ring_.first_step)) {}

std::vector<double> RingExplanation::ends_s() const {
  std::vector<double> ends_s;
  for (const RankState& rank : ring_.after) ends_s.push_back(rank.start_s);
  for (const RankState& rank : ring_.after) ends_s.push_back(rank.begin_s);
  return ends_s;
}

int RingExplanation::parts() const {
  return (ring_.end_step - ring_.first_step + steps_of_part_ - 1) / steps_of_part_;
}

int RingExplanation::steps_of(int part) const {
  return std::min(ring_.end_step - first_step_of(part), steps_of_part_);
}

/// Goes through the ring once, and remembers where each part begins.
void RingExplanation::find_parts() {
  parts_.assign(1, ring_.before);
  for (int part = 0; part + 1 < parts(); ++part) {
    RingReplay replay(all_.rings(), ring_, first_step_of(part), parts_.back());
    for (int step = 0; step < steps_of(part); ++step) replay.step([](const auto&) {});
    parts_.push_back(replay.ranks());
  }
}

std::size_t RingExplanation::look_at(int part) {
  if (parts_.size() <= static_cast<std::size_t>(part)) find_parts();
  part_ = part;
  const auto steps = static_cast<std::size_t>(steps_of(part));
  all_.times.resize(std::max(all_.times.size(), (steps * times_of_step + 1) * ranks()));
  all_.first_chunks.clear();
  all_.legs = legs_of(ring_.chunks, all_.rings().hops(), network_);
  RingReplay replay(all_.rings(), ring_, first_step_of(part), parts_[static_cast<std::size_t>(part)]);
  double* place = all_.times.data();
  for (std::size_t step = 0; step < steps; ++step, place += times_of_step * ranks()) {
    replay.step([&](const auto& ring) {
      ring.note({place, place + ranks(), place + 2 * ranks(), place + 3 * ranks()});
    });
    all_.first_chunks.push_back(replay.first_chunk());
  }
  for (const RankState& rank : replay.ranks()) *place++ = rank.begin_s;
  parts_.resize(static_cast<std::size_t>(part) + 1);
  return steps;
}

inline RingExplanation::Turn RingExplanation::turn(std::size_t step, std::size_t rank) const {
  const double begin_s = this->begin_s(step, rank);
  const double free_s = time_s(step, 1, rank);
  const std::size_t chunk = static_cast<std::size_t>(all_.first_chunks[step - 1]) + rank;
  const std::size_t size = ring_.chunks.size_of(static_cast<int>(chunk < ranks() ? chunk : chunk - ranks()));
  if (ring_.chunks.bytes[size] == 0) return {begin_s, free_s, begin_s, begin_s, nullptr, false, false};
  const Leg& leg = all_.legs[all_.rings().hops().kind_of[rank]][size];
  const double launch_s = begin_s + overhead_s_;
  const bool may_wait = !leg.is_small || network_.rules().keep_order;
  const double start_s = leg.is_rendezvous ? time_s(step, 2, rank) : network_.start_s(leg, launch_s, free_s);
  const bool waits = may_wait && free_s == start_s && free_s > launch_s;
  return {begin_s, free_s, launch_s, start_s, &leg, waits, waits || !leg.is_small};
}

/// When what the rank has sent last after so many steps began to flow.
double RingExplanation::last_start_s(std::size_t steps, std::size_t rank) const {
  for (; steps > 0; --steps)
    if (const Turn before = turn(steps, rank); before.takes_hop) return before.start_s;
  return parts_[static_cast<std::size_t>(part_)][rank].start_s;
}

void RingExplanation::trace_back(std::size_t layer, std::span<const std::size_t> places,
                                 Origins& origins) const {
  for (const std::size_t place : places) {
    std::size_t before = place;
    if (place >= ranks())
      before = back_from_end(layer, place - ranks(), origins.segments);
    else if (const Turn own = turn(layer, place); own.takes_hop)
      before = back_from_start(layer, place, own, origins.segments);
    origins.origins.push_back({before, origins.segments.size()});
  }
}

std::size_t RingExplanation::back_from_end(std::size_t step, std::size_t rank, Segments& segments) const {
  const Turn own = turn(step, rank);
  const Turn sender = turn(step, left_of(rank));
  if (own.leg == nullptr && sender.leg == nullptr) return end_of(rank);
  double completed_s = own.launch_s;
  if (own.leg != nullptr)
    completed_s = std::max(
        own.launch_s, FreeRoutes::complete_s(*own.leg, own.launch_s, own.start_s, arrival_s(step, rank)));
  double received_s = completed_s;
  if (sender.leg != nullptr)
    received_s = network_.received_s(*sender.leg, own.launch_s, arrival_s(step, left_of(rank)));
  const double done_s = std::max(completed_s, received_s);
  if (end_s(step, rank) > done_s)
    segments.push_back({end_s(step, rank), done_s, {SpentOn::reduction, static_cast<Rank>(rank)}});
  if (sender.leg != nullptr && received_s >= completed_s)
    return back_from_receipt(step, rank, own, sender, segments);
  return back_from_completion(step, rank, own, completed_s, segments);
}

std::size_t RingExplanation::back_from_receipt(std::size_t step, std::size_t rank, const Turn& own,
                                               const Turn& sender, Segments& segments) const {
  const std::size_t left = left_of(rank);
  const double arrived_s = arrival_s(step, left);
  const double here_s = std::max(arrived_s, own.launch_s);
  const double processed_s = here_s + overhead_s_;
  const double received_s = processed_s + sender.leg->protocol_latency_s;
  if (received_s > processed_s) segments.push_back({received_s, processed_s, {SpentOn::latency}});
  if (processed_s > here_s)
    segments.push_back({processed_s, here_s, {SpentOn::overhead, static_cast<Rank>(rank)}});
  if (arrived_s < own.launch_s) return back_from_launch(rank, own, segments);
  segments.push_back({arrived_s, sender.start_s, all_.blames_of_hop(left).arrival});
  return back_from_start(step, left, sender, segments);
}

std::size_t RingExplanation::back_from_completion(std::size_t step, std::size_t rank, const Turn& own,
                                                  double complete_s, Segments& segments) const {
  if (complete_s <= own.launch_s) return back_from_launch(rank, own, segments);
  const ExplainedRings::Blames& blames = all_.blames_of_hop(rank);
  const bool at_arrival = own.leg->completion == SendCompletion::at_arrival;
  if (complete_s > own.start_s)
    segments.push_back({complete_s, own.start_s, at_arrival ? blames.arrival : blames.departure});
  return back_from_start(step, rank, own, segments);
}

std::size_t RingExplanation::back_from_start(std::size_t step, std::size_t rank, const Turn& sender,
                                             Segments& segments) const {
  if (!sender.waits) return back_from_ready(step, rank, sender, segments);
  segments.push_back({sender.start_s, last_start_s(step - 1, rank), all_.blames_of_hop(rank).flow});
  return flow_of(rank);
}

/// What a rank sends may flow: the receiver has answered when it had the request, and was itself there.
std::size_t RingExplanation::back_from_ready(std::size_t step, std::size_t rank, const Turn& sender,
                                             Segments& segments) const {
  if (!sender.leg->is_rendezvous) return back_from_launch(rank, sender, segments);
  const double receiver_s = begin_s(step, right_of(rank));
  const double back_latency_s = sender.leg->back_latency_s;
  const bool waits_for_request = receiver_s + back_latency_s < sender.start_s;
  const double answer_s = waits_for_request ? sender.start_s - back_latency_s : receiver_s;
  segments.push_back({sender.start_s, answer_s, all_.blames_of_hop(rank).back});
  if (!waits_for_request) return end_of(right_of(rank));
  segments.push_back({answer_s, sender.launch_s, all_.blames_of_hop(rank).arrival});
  return back_from_launch(rank, sender, segments);
}

std::size_t RingExplanation::back_from_launch(std::size_t rank, const Turn& own, Segments& segments) const {
  if (own.launch_s > own.begin_s)
    segments.push_back({own.launch_s, own.begin_s, {SpentOn::overhead, static_cast<Rank>(rank)}});
  return end_of(rank);
}

}  // namespace starling
