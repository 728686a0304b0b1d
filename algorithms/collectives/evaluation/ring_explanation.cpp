#include "algorithms/collectives/evaluation/ring_explanation.hpp"

#include <algorithm>
#include <utility>

namespace starling {
namespace {

/// As many as the caches hold with all that is found out about them.
constexpr std::size_t messages_of_part = 1 << 14;
constexpr int least_steps_of_part = 16;

double reduction_s_per_byte(const FreeRoutes& network, const EvaluatedRing& ring, int step) {
  const auto ranks = static_cast<int>(ring.before.size());
  return step < ranks - 1 ? network.costs().reduction_s_per_byte : 0;
}

}  // namespace

void RingBlames::pack_for(Causes& causes) {
  if (std::exchange(packed_for_, &causes) == &causes) return;
  const Routes& routes = rings_.network().routes();
  const int ranks = routes.workers();
  hops_.clear();
  ranks_.clear();
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank right = Ring(rank, ranks).right();
    const Way way = routes.way(rank, right);
    const Way back = routes.way(right, rank);
    hops_.push_back({.arrival = causes.pack(Blame{SpentOn::link, way.slowest, way.latency_s}),
                     .back = causes.pack(Blame{SpentOn::link, back.slowest, back.latency_s}),
                     .flow = causes.pack(Blame{SpentOn::link, way.slowest}),
                     .departure = causes.pack(Blame{SpentOn::link, routes.route(rank, right).front()})});
    ranks_.push_back({.overhead = causes.pack(Blame{SpentOn::overhead, rank}),
                      .reduction = causes.pack(Blame{SpentOn::reduction, rank})});
  }
  latency_ = causes.pack(Blame{SpentOn::latency});
}

RingExplanation::RingExplanation(RingBlames& blames, EvaluatedRing ring, std::vector<Causes::Index> begins)
    : blames_(blames),
      network_(blames.rings().network()),
      ring_(std::move(ring)),
      begins_(std::move(begins)),
      steps_of_part_(
          std::max(least_steps_of_part, static_cast<int>(messages_of_part / ring_.before.size()))) {}

std::vector<double> RingExplanation::ends_s() const {
  std::vector<double> ends_s;
  for (const RankState& rank : ring_.after) ends_s.push_back(rank.begin_s);
  for (const RankState& rank : ring_.after) ends_s.push_back(rank.start_s);
  return ends_s;
}

int RingExplanation::parts() {
  return std::max(1, (ring_.end_step - ring_.first_step + steps_of_part_ - 1) / steps_of_part_);
}

RingOfRanks RingExplanation::ring_of(StepRules& rules, int part) const {
  return RingOfRanks(rules, blames_.rings().hops(), network_, parts_[static_cast<std::size_t>(part)]);
}

/// Goes through the ring once, and remembers where each part begins.
void RingExplanation::find_parts() {
  if (!parts_.empty()) return;
  parts_.push_back(ring_.before);
  StepRules rules(network_, ring_.chunks);
  for (int part = 0; part + 1 < parts(); ++part) {
    RingOfRanks ring = ring_of(rules, part);
    for (int step = first_step_of(part); step < end_step_of(part); ++step)
      ring.step(step, reduction_s_per_byte(network_, ring_, step));
    parts_.push_back(ring.ranks());
  }
}

void RingExplanation::explain(int part, Causes& inner, std::vector<Causes::Index>& ends) {
  find_parts();
  blames_.pack_for(inner);
  const std::vector<RankState>& before = parts_[static_cast<std::size_t>(part)];
  begun_.clear();
  flowing_.clear();
  for (const RankState& rank : before) begun_.push_back(inner.add(rank.begin_s, 0, blames_.latency()));
  for (const RankState& rank : before) flowing_.push_back(inner.add(rank.start_s, 0, blames_.latency()));
  launched_ = begun_;
  sent_ = begun_;
  StepRules rules(network_, ring_.chunks);
  RingOfRanks ring = ring_of(rules, part);
  for (int step = first_step_of(part); step < end_step_of(part); ++step) {
    ring.step(step, reduction_s_per_byte(network_, ring_, step));
    for (std::size_t rank = 0; rank < before.size(); ++rank) {
      const std::size_t size = ring.size_sent(rank, step);
      if (rules.is_sent(size)) send(rank, size, ring, inner);
    }
    for (std::size_t rank = 0; rank < before.size(); ++rank) end_step(rank, step, ring, inner);
  }
  ends = begun_;
  ends.insert(ends.end(), flowing_.begin(), flowing_.end());
}

void RingExplanation::send(std::size_t rank, std::size_t size, const RingOfRanks& ring, Causes& inner) {
  const Leg& leg = ring.leg(rank, size);
  const Sent& sent = ring.sent(rank);
  const double free_s = ring.before(rank).free_s;
  launched_[rank] = begun_[rank];
  if (network_.costs().overhead_s > 0)
    launched_[rank] = inner.add(sent.launch_s, begun_[rank], blames_.of_rank(rank).overhead);
  sent_[rank] = leg.is_rendezvous ? answer(rank, leg, ring, inner) : launched_[rank];
  const bool waits = free_s > sent.ready_s && (!leg.is_small || network_.rules().keep_order);
  if (waits) sent_[rank] = inner.add(free_s, flowing_[rank], blames_.of_hop(rank).flow);
  if (waits || !leg.is_small) flowing_[rank] = sent_[rank];
}

/// The answer is with the rank: its receiver gave it when it had the request, and was itself there.
Causes::Index RingExplanation::answer(std::size_t rank, const Leg& leg, const RingOfRanks& ring,
                                      Causes& inner) const {
  const std::size_t right = ring.right_of(rank);
  const Sent& sent = ring.sent(rank);
  const RingBlames::OfHop& blame = blames_.of_hop(rank);
  Causes::Index cause = begun_[right];
  if (ring.before(right).begin_s + leg.back_latency_s < sent.ready_s)
    cause = inner.add(sent.ready_s - leg.back_latency_s, launched_[rank], blame.arrival);
  return inner.add(sent.ready_s, cause, blame.back);
}

/// A rank's send is complete.
Causes::Index RingExplanation::complete(std::size_t rank, const Leg& leg, const Sent& sent,
                                        Causes& inner) const {
  if (leg.completion == SendCompletion::at_launch || sent.complete_s <= sent.launch_s)
    return launched_[rank];
  if (leg.completion == SendCompletion::at_departure)
    return inner.add(sent.complete_s, sent_[rank], blames_.of_hop(rank).departure);
  return inner.add(sent.arrival_s, sent_[rank], blames_.of_hop(rank).arrival);
}

/// A rank has received what the one before it has sent.
Causes::Index RingExplanation::receive(std::size_t rank, const Leg& leg, const RingOfRanks& ring,
                                       Causes& inner) const {
  const std::size_t left = ring.left_of(rank);
  const double arrival_s = ring.sent(left).arrival_s;
  const double launched_s = inner.end_s(launched_[rank]);
  const double overhead_s = network_.costs().overhead_s;
  Causes::Index last = launched_[rank];
  if (arrival_s >= launched_s) last = inner.add(arrival_s, sent_[left], blames_.of_hop(left).arrival);
  const double processed_s = std::max(arrival_s, launched_s) + overhead_s;
  if (overhead_s > 0) last = inner.add(processed_s, last, blames_.of_rank(rank).overhead);
  if (leg.protocol_latency_s > 0)
    last = inner.add(processed_s + leg.protocol_latency_s, last, blames_.latency());
  return last;
}

void RingExplanation::end_step(std::size_t rank, int step, const RingOfRanks& ring, Causes& inner) {
  const std::size_t left = ring.left_of(rank);
  const std::size_t size_sent = ring.size_sent(rank, step);
  const std::size_t size_received = ring.size_sent(left, step);
  const bool is_sent = ring_.chunks.bytes[size_sent] > 0;
  const bool is_received = ring_.chunks.bytes[size_received] > 0;
  if (!is_sent && !is_received) return;
  double ended_s = ring.before(rank).begin_s;
  const Sent& sent = ring.sent(rank);
  const double complete_s = is_sent ? std::max(sent.launch_s, sent.complete_s) : ended_s;
  Causes::Index last = begun_[rank];
  if (!is_sent) launched_[rank] = begun_[rank];
  const Leg& leg_received = ring.leg(left, size_received);
  const double launched_s = is_sent ? sent.launch_s : ended_s;
  const double received_s =
      is_received ? network_.received_s(leg_received, launched_s, ring.sent(left).arrival_s) : ended_s;
  if (is_received && received_s >= complete_s)
    last = receive(rank, leg_received, ring, inner);
  else if (is_sent)
    last = complete(rank, ring.leg(rank, size_sent), sent, inner);
  ended_s = std::max(complete_s, received_s);
  const double end_s = ring.ranks()[rank].begin_s;
  if (end_s > ended_s) last = inner.add(end_s, last, blames_.of_rank(rank).reduction);
  begun_[rank] = last;
}

}  // namespace starling
