#include "algorithms/collectives/evaluation/ring_explanation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "algorithms/collectives/evaluation/ring_replay.hpp"

namespace starling {
namespace {

/// As many as the caches hold with all that is found out about them.
constexpr std::size_t messages_of_part = 1 << 14;
constexpr int least_steps_of_part = 16;

/// Adds the steps of a part to `inner`.
class StepsOfPart {
 public:
  using Index = Causes::Index;

  StepsOfPart(const RingReplay& replay, const RingBlames& blames, Causes& inner)
      : replay_(replay),
        blames_(blames),
        inner_(inner),
        overhead_s_(blames.rings().network().costs().overhead_s),
        keeps_order_(blames.rings().network().rules().keep_order) {}

  void begin(const std::vector<RankState>& ranks) {
    for (const RankState& rank : ranks) begun_.push_back(inner_.add(rank.begin_s, 0, blames_.latency()));
    for (const RankState& rank : ranks) flowing_.push_back(inner_.add(rank.start_s, 0, blames_.latency()));
    launched_ = begun_;
    let_flow_ = begun_;
    sent_.resize(ranks.size());
  }

  template <typename RingOf>
  void see(const RingOf& ring) {
    for (std::size_t rank = 0; rank < begun_.size(); ++rank)
      if (const std::size_t size = replay_.size_sent(rank); replay_.is_sent(size)) send(rank, size, ring);
    for (std::size_t rank = 0; rank < begun_.size(); ++rank) end_step(rank, ring);
  }

  std::vector<Index> ends() const {
    std::vector<Index> ends = begun_;
    ends.insert(ends.end(), flowing_.begin(), flowing_.end());
    return ends;
  }

 private:
  template <typename RingOf>
  void send(std::size_t rank, std::size_t size, const RingOf& ring) {
    const Leg& leg = replay_.leg(rank, size);
    const Sent& sent = sent_[rank] = ring.sent(rank);
    launched_[rank] = begun_[rank];
    if (overhead_s_ > 0)
      launched_[rank] = inner_.add(sent.launch_s, begun_[rank], blames_.of_rank(rank).overhead);
    let_flow_[rank] = launched_[rank];
    if (leg.is_rendezvous) let_flow_[rank] = answer(rank, leg, ring.begin_before_s(replay_.right_of(rank)));
    const double free_s = ring.free_before_s(rank);
    const bool waits = free_s > sent.ready_s && (!leg.is_small || keeps_order_);
    if (waits) let_flow_[rank] = inner_.add(free_s, flowing_[rank], blames_.of_hop(rank).flow);
    if (waits || !leg.is_small) flowing_[rank] = let_flow_[rank];
  }

  /// The answer is with the rank: its receiver gave it when it had the request, and was itself there.
  Index answer(std::size_t rank, const Leg& leg, double receiver_begin_s) {
    const RingBlames::OfHop& blame = blames_.of_hop(rank);
    const double ready_s = sent_[rank].ready_s;
    Index cause = begun_[replay_.right_of(rank)];
    if (receiver_begin_s + leg.back_latency_s < ready_s)
      cause = inner_.add(ready_s - leg.back_latency_s, launched_[rank], blame.arrival);
    return inner_.add(ready_s, cause, blame.back);
  }

  /// A rank's send is complete.
  Index complete(std::size_t rank, const Leg& leg) {
    const Sent& sent = sent_[rank];
    if (leg.completion == SendCompletion::at_launch || sent.complete_s <= sent.launch_s)
      return launched_[rank];
    const RingBlames::OfHop& blame = blames_.of_hop(rank);
    const bool at_departure = leg.completion == SendCompletion::at_departure;
    return inner_.add(sent.complete_s, let_flow_[rank], at_departure ? blame.departure : blame.arrival);
  }

  /// A rank that launched its own message then has received that of the one before it.
  Index receive(std::size_t rank, const Leg& leg, double launched_s) {
    const std::size_t left = replay_.left_of(rank);
    const double arrival_s = sent_[left].arrival_s;
    Index last = launched_[rank];
    if (arrival_s >= launched_s) last = inner_.add(arrival_s, let_flow_[left], blames_.of_hop(left).arrival);
    const double processed_s = std::max(arrival_s, launched_s) + overhead_s_;
    if (overhead_s_ > 0) last = inner_.add(processed_s, last, blames_.of_rank(rank).overhead);
    if (leg.protocol_latency_s > 0)
      last = inner_.add(processed_s + leg.protocol_latency_s, last, blames_.latency());
    return last;
  }

  template <typename RingOf>
  void end_step(std::size_t rank, const RingOf& ring) {
    const std::size_t left = replay_.left_of(rank);
    const std::size_t size_sent = replay_.size_sent(rank);
    const std::size_t size_received = replay_.size_sent(left);
    const bool is_sent = replay_.is_sent(size_sent);
    const bool is_received = replay_.is_sent(size_received);
    if (!is_sent && !is_received) return;
    const double begin_s = ring.begin_before_s(rank);
    const Sent own = is_sent ? sent_[rank] : Sent{begin_s, begin_s, begin_s, begin_s};
    if (!is_sent) launched_[rank] = begun_[rank];
    const double complete_s = std::max(own.launch_s, own.complete_s);
    const Leg& leg = replay_.leg(left, size_received);
    const double received_s = std::max(own.launch_s, sent_[left].arrival_s) + overhead_s_ + leg.protocol_latency_s;
    if (is_received && received_s >= complete_s)
      begun_[rank] = receive(rank, leg, own.launch_s);
    else
      begun_[rank] = complete(rank, replay_.leg(rank, size_sent));
    const double ended_s = is_received ? std::max(complete_s, received_s) : complete_s;
    if (const double end_s = ring.begin_s(rank); end_s > ended_s)
      begun_[rank] = inner_.add(end_s, begun_[rank], blames_.of_rank(rank).reduction);
  }

  const RingReplay& replay_;
  const RingBlames& blames_;
  Causes& inner_;
  double overhead_s_;
  bool keeps_order_;
  // By rank:
  std::vector<Sent> sent_;
  std::vector<Index> begun_;     // its step
  std::vector<Index> launched_;  // its message of this step
  std::vector<Index> flowing_;   // the last message that had to wait for those before it,
  std::vector<Index> let_flow_;  // and that of this step
};

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

/// Goes through the ring once, and remembers where each part begins.
void RingExplanation::find_parts() {
  if (!parts_.empty()) return;
  parts_.push_back(ring_.before);
  for (int part = 0; part + 1 < parts(); ++part) {
    RingReplay replay(blames_.rings(), ring_, first_step_of(part), parts_.back());
    for (int step = first_step_of(part); step < end_step_of(part); ++step) replay.step([](const auto&) {});
    parts_.push_back(replay.ranks());
  }
}

void RingExplanation::explain(int part, Causes& inner, std::vector<Causes::Index>& ends) {
  find_parts();
  blames_.pack_for(inner);
  const std::vector<RankState>& before = parts_[static_cast<std::size_t>(part)];
  RingReplay replay(blames_.rings(), ring_, first_step_of(part), before);
  StepsOfPart steps(replay, blames_, inner);
  steps.begin(before);
  for (int step = first_step_of(part); step < end_step_of(part); ++step)
    replay.step([&](const auto& ring) { steps.see(ring); });
  ends = steps.ends();
}

}  // namespace starling
