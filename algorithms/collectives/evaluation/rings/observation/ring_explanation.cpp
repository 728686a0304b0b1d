#include "algorithms/collectives/evaluation/rings/observation/ring_explanation.hpp"

#include <algorithm>
#include <utility>

namespace starling {

ExplainedRings::ExplainedRings(const RingEvaluator& rings)
    : record(rings.hops(), rings.network()), rings_(rings) {
  const Routes& routes = rings_.network().routes();
  for (Rank rank = 0; rank < routes.workers(); ++rank) {
    const Rank right = Ring(rank, routes.workers()).right();
    const RouteSummary summary = routes.summary(rank, right);
    const RouteSummary back = routes.summary(right, rank);
    blames_.push_back({.arrival = {SpentOn::link, summary.slowest, summary.latency_s},
                       .back = {SpentOn::link, back.slowest, back.latency_s},
                       .flow = {SpentOn::link, summary.slowest}});
  }
}

RingExplanation::RingExplanation(ExplainedRings& all, EvaluatedRing ring, std::vector<std::uint64_t> begins)
    : all_(all),
      network_(all.rings().network()),
      overhead_s_(network_.costs().overhead_s),
      ring_(std::move(ring)),
      begins_(std::move(begins)) {}

std::vector<double> RingExplanation::ends_s() const {
  std::vector<double> ends_s;
  ends_s.reserve(width());
  for (const RankState& rank : ring_.after) ends_s.push_back(rank.start_s);
  for (const RankState& rank : ring_.after) ends_s.push_back(rank.begin_s);
  return ends_s;
}

int RingExplanation::parts() {
  parts_ = all_.record.parts_of(ring_);
  return static_cast<int>(parts_.size());
}

std::size_t RingExplanation::look_at(int part) {
  parts_.resize(static_cast<std::size_t>(part) + 1);
  all_.legs = legs_of(ring_.chunks, all_.rings().hops(), network_);
  all_.record.look_at(ring_, parts_.back());
  return static_cast<std::size_t>(parts_.back().end_step - parts_.back().first_step);
}

/// The leg of the chunk that a rank sends; null if it sends nothing.
inline const Leg* RingExplanation::leg_sent(int first_chunk, std::size_t rank) const {
  const std::size_t size = size_sent(ring_.chunks, first_chunk, rank, ranks());
  if (ring_.chunks.bytes[size] == 0) return nullptr;
  return &all_.legs[all_.rings().hops().kind_of[rank]][size];
}

inline RingExplanation::Turn RingExplanation::turn(const StepMoments& moments, const Leg& leg) const {
  const double begin_s = moments.begin_s;
  const double free_s = moments.free_s;
  const double launch_s = begin_s + overhead_s_;
  const bool may_wait = !leg.is_small || network_.rules().keep_order;
  const double start_s = leg.is_rendezvous ? moments.start_s : network_.start_s(leg, launch_s, free_s);
  const bool waits = may_wait && free_s == start_s && free_s > launch_s;
  return {begin_s, launch_s, start_s, leg, waits, waits || !leg.is_small};
}

/// When the last message that the rank has sent within the first `steps` steps of the part began to flow.
double RingExplanation::last_start_s(std::size_t steps, std::size_t rank) const {
  for (; steps > 0; --steps) {
    const Leg* const leg = leg_sent(all_.record.first_chunk(steps), rank);
    if (leg == nullptr) continue;
    const Turn before = turn(all_.record.moments(steps, rank), *leg);
    if (before.takes_hop) return before.start_s;
  }
  return parts_.back().before[rank].start_s;
}

void RingExplanation::trace_back(std::size_t layer, std::span<const std::size_t> places,
                                 Origins& origins) const {
  constexpr std::size_t shown_at_once = 4;
  const Step step = all_.record.step(layer);
  const bool are_many = places.size() * shown_at_once > ranks();
  if (are_many) all_.record.show_all(step);
  for (const std::size_t place : places) {
    std::size_t before = place;
    if (!are_many) all_.record.show(step, place >= ranks() ? place - ranks() : place);
    if (place >= ranks()) {
      before = back_from_end(step, place - ranks(), origins.segments);
    } else if (const Leg* const leg = leg_sent(step, place)) {
      const Turn own = turn(step.of(place), *leg);
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

/// Traces back from the moment at which a rank's message may flow. Under rendezvous the receiver answers
/// once it has the request and has begun its step, whichever is later.
inline std::size_t RingExplanation::back_from_ready(const Step& step, std::size_t rank, const Turn& sender,
                                                    Segments& segments) const {
  if (!sender.leg.is_rendezvous) return back_from_launch(rank, sender.launch_s, sender.begin_s, segments);
  const double receiver_s = step.begin_s[right_of(rank, ranks())];
  const double back_latency_s = sender.leg.back_latency_s;
  const bool waits_for_request = receiver_s + back_latency_s < sender.start_s;
  const double answer_s = waits_for_request ? sender.start_s - back_latency_s : receiver_s;
  segments.push_back({sender.start_s, answer_s, all_.blames_of_hop(rank).back});
  if (!waits_for_request) return end_of(right_of(rank, ranks()));
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
  const std::size_t left = left_of(rank, ranks());
  const double arrived_s = step.arrival_s[left];
  const double here_s = std::max(arrived_s, launch_s);
  const double processed_s = here_s + overhead_s_;
  const double received_s = network_.received_s(leg, launch_s, arrived_s);
  if (received_s > processed_s) {
    const double readable_s = std::max(processed_s, received_s - leg.paced_s);
    if (received_s > readable_s)
      segments.push_back({received_s, readable_s, {SpentOn::link, leg.pacing_link}});
    if (readable_s > processed_s) segments.push_back({readable_s, processed_s, {SpentOn::latency}});
  }
  if (processed_s > here_s)
    segments.push_back({processed_s, here_s, {SpentOn::overhead, static_cast<Rank>(rank)}});
  if (arrived_s < launch_s) return back_from_launch(rank, launch_s, step.begin_s[rank], segments);
  const Turn sender = turn(step.of(left), leg);
  Blame arrival = all_.blames_of_hop(left).arrival;
  if (leg.paced_s > 0) arrival.who = leg.pacing_link;  // on a faster hop the message would only wait longer
  segments.push_back({arrived_s, sender.start_s, arrival});
  return back_from_start(step, left, sender, segments);
}

/// Traces back from the moment at which the send buffer has room for a message, because enough of the
/// earlier messages has left. Messages before the previous one are not known here: time spent on them
/// counts as waiting for the link since the launch.
std::size_t RingExplanation::back_from_room(const Step& step, std::size_t rank, const Turn& own,
                                            double complete_s, Segments& segments) const {
  const double flows_since_s = last_start_s(step.number - 1, rank);
  const bool is_last = complete_s >= flows_since_s;
  segments.push_back({complete_s, is_last ? flows_since_s : own.launch_s, all_.blames_of_hop(rank).flow});
  return is_last ? flow_of(rank) : back_from_launch(rank, own.launch_s, own.begin_s, segments);
}

std::size_t RingExplanation::back_from_completion(const Step& step, std::size_t rank, const Turn& own,
                                                  double complete_s, Segments& segments) const {
  const ExplainedRings::Blames& blames = all_.blames_of_hop(rank);
  if (complete_s < own.start_s) return back_from_room(step, rank, own, complete_s, segments);
  const bool at_arrival = own.leg.completion == SendCompletion::at_arrival;
  if (complete_s > own.start_s)
    segments.push_back({complete_s, own.start_s, at_arrival ? blames.arrival : blames.flow});
  return back_from_start(step, rank, own, segments);
}

std::size_t RingExplanation::back_from_end(const Step& step, std::size_t rank, Segments& segments) const {
  const std::size_t left = left_of(rank, ranks());
  const Leg* const own = leg_sent(step, rank);
  const Leg* const received = leg_sent(step, left);
  if (own == nullptr && received == nullptr) return end_of(rank);
  const double begin_s = step.begin_s[rank];
  const double launch_s = own != nullptr ? begin_s + overhead_s_ : begin_s;
  const bool waits = own != nullptr && own->completion != SendCompletion::at_launch;
  const double complete_s =
      waits ? FreeRoutes::complete_s(*own, launch_s, turn(step.of(rank), *own).start_s, step.arrival_s[rank])
            : launch_s;
  double done_s = std::max(launch_s, complete_s);
  const double received_s =
      received != nullptr ? network_.received_s(*received, launch_s, step.arrival_s[left]) : done_s;
  const bool is_received_last = received != nullptr && received_s >= done_s;
  done_s = std::max(done_s, received_s);
  if (step.end_s[rank] > done_s)
    segments.push_back({step.end_s[rank], done_s, {SpentOn::reduction, static_cast<Rank>(rank)}});
  if (is_received_last) return back_from_receipt(step, rank, launch_s, *received, segments);
  if (complete_s > launch_s)
    return back_from_completion(step, rank, turn(step.of(rank), *own), complete_s, segments);
  return back_from_launch(rank, launch_s, begin_s, segments);
}

}  // namespace starling
