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
                       .flow = {SpentOn::link, way.slowest}});
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
  ends_s.reserve(width());
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
    RingReplay replay(all_.rings().hops(), network_, ring_, first_step_of(part), parts_.back());
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
  RingReplay replay(all_.rings().hops(), network_, ring_, first_step_of(part),
                    parts_[static_cast<std::size_t>(part)]);
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

RingExplanation::Step RingExplanation::step_of_part(std::size_t number) const {
  const std::size_t ranks = this->ranks();
  const double* const times = all_.times.data() + (number - 1) * times_of_step * ranks;
  return {.number = number,
          .begin_s = times,
          .free_s = times + ranks,
          .start_s = times + 2 * ranks,
          .arrival_s = times + 3 * ranks,
          .end_s = times + times_of_step * ranks,
          .first_chunk = all_.first_chunks[number - 1]};
}

/// Of what a rank sends; null if that is nothing.
inline const Leg* RingExplanation::leg_sent(const Step& step, std::size_t rank) const {
  const std::size_t size = size_sent(ring_.chunks, step.first_chunk, rank, ranks());
  if (ring_.chunks.bytes[size] == 0) return nullptr;
  return &all_.legs[all_.rings().hops().kind_of[rank]][size];
}

inline RingExplanation::Turn RingExplanation::turn(const Step& step, std::size_t rank, const Leg& leg) const {
  const double begin_s = step.begin_s[rank];
  const double free_s = step.free_s[rank];
  const double launch_s = begin_s + overhead_s_;
  const bool may_wait = !leg.is_small || network_.rules().keep_order;
  const double start_s = leg.is_rendezvous ? step.start_s[rank] : network_.start_s(leg, launch_s, free_s);
  const bool waits = may_wait && free_s == start_s && free_s > launch_s;
  return {begin_s, launch_s, start_s, leg, waits, waits || !leg.is_small};
}

/// When what the rank has sent last after so many steps began to flow.
double RingExplanation::last_start_s(std::size_t steps, std::size_t rank) const {
  for (; steps > 0; --steps) {
    const Step step = step_of_part(steps);
    const Leg* const leg = leg_sent(step, rank);
    if (leg == nullptr) continue;
    if (const Turn before = turn(step, rank, *leg); before.takes_hop) return before.start_s;
  }
  return parts_[static_cast<std::size_t>(part_)][rank].start_s;
}

void RingExplanation::trace_back(std::size_t layer, std::span<const std::size_t> places,
                                 Origins& origins) const {
  const Step step = step_of_part(layer);
  for (const std::size_t place : places) {
    std::size_t before = place;
    if (place >= ranks()) {
      before = back_from_end(step, place - ranks(), origins.segments);
    } else if (const Leg* const leg = leg_sent(step, place)) {
      const Turn own = turn(step, place, *leg);
      if (own.takes_hop) before = back_from_start(step, place, own, origins.segments);
    }
    origins.origins.push_back({before, origins.segments.size()});
  }
}

inline std::size_t RingExplanation::back_from_launch(std::size_t rank, double launch_s, double begin_s,
                                                     Segments& segments) const {
  if (launch_s > begin_s)
    segments.push_back({launch_s, begin_s, {SpentOn::overhead, static_cast<Rank>(rank)}});
  return end_of(rank);
}

/// What a rank sends may flow: the receiver has answered when it had the request, and was itself there.
inline std::size_t RingExplanation::back_from_ready(const Step& step, std::size_t rank, const Turn& sender,
                                                    Segments& segments) const {
  if (!sender.leg.is_rendezvous) return back_from_launch(rank, sender.launch_s, sender.begin_s, segments);
  const double receiver_s = step.begin_s[right_of(rank)];
  const double back_latency_s = sender.leg.back_latency_s;
  const bool waits_for_request = receiver_s + back_latency_s < sender.start_s;
  const double answer_s = waits_for_request ? sender.start_s - back_latency_s : receiver_s;
  segments.push_back({sender.start_s, answer_s, all_.blames_of_hop(rank).back});
  if (!waits_for_request) return end_of(right_of(rank));
  segments.push_back({answer_s, sender.launch_s, all_.blames_of_hop(rank).arrival});
  return back_from_launch(rank, sender.launch_s, sender.begin_s, segments);
}

inline std::size_t RingExplanation::back_from_start(const Step& step, std::size_t rank, const Turn& sender,
                                                    Segments& segments) const {
  if (!sender.waits) return back_from_ready(step, rank, sender, segments);
  segments.push_back({sender.start_s, last_start_s(step.number - 1, rank), all_.blames_of_hop(rank).flow});
  return flow_of(rank);
}

inline std::size_t RingExplanation::back_from_receipt(const Step& step, std::size_t rank, double launch_s,
                                                      const Leg& leg, Segments& segments) const {
  const std::size_t left = left_of(rank);
  const double arrived_s = step.arrival_s[left];
  const double here_s = std::max(arrived_s, launch_s);
  const double processed_s = here_s + overhead_s_;
  const double received_s = network_.received_s(leg, launch_s, arrived_s);
  if (received_s > processed_s) segments.push_back({received_s, processed_s, {SpentOn::latency}});
  if (processed_s > here_s)
    segments.push_back({processed_s, here_s, {SpentOn::overhead, static_cast<Rank>(rank)}});
  if (arrived_s < launch_s) return back_from_launch(rank, launch_s, step.begin_s[rank], segments);
  const Turn sender = turn(step, left, leg);
  segments.push_back({arrived_s, sender.start_s, all_.blames_of_hop(left).arrival});
  return back_from_start(step, left, sender, segments);
}

std::size_t RingExplanation::back_from_completion(const Step& step, std::size_t rank, const Turn& own,
                                                  double complete_s, Segments& segments) const {
  const ExplainedRings::Blames& blames = all_.blames_of_hop(rank);
  const bool at_arrival = own.leg.completion == SendCompletion::at_arrival;
  if (complete_s > own.start_s)
    segments.push_back({complete_s, own.start_s, at_arrival ? blames.arrival : blames.flow});
  return back_from_start(step, rank, own, segments);
}

std::size_t RingExplanation::back_from_end(const Step& step, std::size_t rank, Segments& segments) const {
  const Leg* const own = leg_sent(step, rank);
  const Leg* const received = leg_sent(step, left_of(rank));
  if (own == nullptr && received == nullptr) return end_of(rank);
  const double begin_s = step.begin_s[rank];
  const double launch_s = own != nullptr ? begin_s + overhead_s_ : begin_s;
  const bool waits = own != nullptr && own->completion != SendCompletion::at_launch;
  const double complete_s =
      waits ? FreeRoutes::complete_s(*own, launch_s, turn(step, rank, *own).start_s, step.arrival_s[rank])
            : launch_s;
  double done_s = std::max(launch_s, complete_s);
  const double received_s =
      received != nullptr ? network_.received_s(*received, launch_s, step.arrival_s[left_of(rank)]) : done_s;
  const bool is_received_last = received != nullptr && received_s >= done_s;
  done_s = std::max(done_s, received_s);
  if (step.end_s[rank] > done_s)
    segments.push_back({step.end_s[rank], done_s, {SpentOn::reduction, static_cast<Rank>(rank)}});
  if (is_received_last) return back_from_receipt(step, rank, launch_s, *received, segments);
  if (complete_s > launch_s)
    return back_from_completion(step, rank, turn(step, rank, *own), complete_s, segments);
  return back_from_launch(rank, launch_s, begin_s, segments);
}

}  // namespace starling
