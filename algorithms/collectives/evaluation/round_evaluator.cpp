#include "algorithms/collectives/evaluation/round_evaluator.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/errors.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {

RoundEvaluator::RoundEvaluator(FreeRoutes& network)
    : network_(network), ranks_(network.routes().workers()), rounds_(static_cast<std::size_t>(ranks_)) {}

const RoundEvaluator::CachedRoute& RoundEvaluator::cached_route(Rank source, Rank destination) {
  const auto slot = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(source ^ destination)));
  if (slot >= cached_routes_.size()) cached_routes_.resize(slot + 1);
  if (cached_routes_[slot].empty()) cached_routes_[slot].resize(static_cast<std::size_t>(ranks_));
  CachedRoute& route = cached_routes_[slot][static_cast<std::size_t>(source)];
  if (route.destination == destination) return route;
  const Hop hop = network_.hop(source, destination);
  const auto [kind, is_new] = kind_of_.try_emplace(hop, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) {
    Hop in_ring = hop;
    in_ring.is_of_ring = true;
    kinds_.push_back({HopKind{.hop = hop}, HopKind{.hop = in_ring}});
  }
  route = {destination, kind->second, network_.routes().route(source, destination)};
  return route;
}

const Leg& RoundEvaluator::leg(std::uint32_t kind, double bytes) {
  HopKind& hop = kinds_[kind][is_ring_ ? 1 : 0];
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (hop.bytes[i] == bytes) return hop.legs[i];
  const std::size_t place = std::exchange(hop.older, 1 - hop.older);
  hop.bytes[place] = bytes;
  return hop.legs[place] = network_.leg(bytes, hop.hop);
}

std::optional<Evaluation> RoundEvaluator::evaluate(const Schedule& schedule, std::span<const double> begin_s,
                                                   double bytes_per_element) {
  STARLING_INVARIANT(schedule.ranks() == ranks_ && begin_s.size() == rounds_.size());
  is_ring_ = schedule.is_ring();
  bytes_per_element_ = bytes_per_element;
  begin_s_.assign(begin_s.begin(), begin_s.end());
  evaluation_ = {};
  for (int round = 0; look_up(schedule, round); ++round) {
    if (!do_rounds_meet()) return std::nullopt;
    send_all();
    end_round();
  }
  evaluation_.end_s = begin_s_;
  return std::exchange(evaluation_, {});
}

/// Writes the round of every rank to rounds_. Returns false if no rank has that many rounds.
bool RoundEvaluator::look_up(const Schedule& schedule, int round) {
  bool is_any = false;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    RankRound& own = at(rank);
    own.destination = own.source = -1;
    if (round >= schedule.rounds(rank)) continue;
    is_any = true;
    const Round found = schedule.round(rank, round);
    if (found.send.is_present()) {
      own.destination = found.send.peer;
      own.sent = found.send.chunk.count;
    }
    if (!found.receive.is_present()) continue;
    own.source = found.receive.peer;
    own.received = found.receive.chunk.count;
    own.is_reducing = found.action == Round::Action::reduce;
  }
  return is_any;
}

/// Whether every message sent in this round is received in it, and every receive has a message.
bool RoundEvaluator::do_rounds_meet() const {
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const RankRound& own = at(rank);
    if (own.destination >= 0 &&
        (at(own.destination).source != rank || at(own.destination).received != own.sent))
      return false;
    if (own.source >= 0 && at(own.source).destination != rank) return false;
  }
  return true;
}

void RoundEvaluator::send_all() {
  has_rendezvous_ = false;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    RankRound& own = at(rank);
    own.launch_s = begin_s(rank);
    if (own.destination < 0) continue;
    own.launch_s += network_.costs().overhead_s;
    const CachedRoute& route = cached_route(rank, own.destination);
    const double bytes = static_cast<double>(own.sent) * bytes_per_element_;
    own.leg = leg(route.kind, bytes);
    own.links = route.links;
    ++evaluation_.messages;
    evaluation_.bytes += bytes;
    has_rendezvous_ = has_rendezvous_ || own.leg.is_rendezvous;
    if (!own.leg.is_rendezvous) pass(rank, own.launch_s);
  }
  if (has_rendezvous_) {
    send_requests();
    answer_requests();
  }
}

/// Until when the connection is busy with messages before one that is ready at `ready_s`. If that is not
/// known, the result is not exact, and the connection counts as free.
double RoundEvaluator::free_s(std::span<const LinkIndex> links, Rank source, Rank destination,
                              double ready_s) {
  if (network_.knows_start(links, source, destination, ready_s))
    return network_.free_s(links, source, destination);
  evaluation_.is_exact = false;
  return FreeRoutes::never_s;
}

/// Computes the transfer of a rank's message, whose data may flow from `ready_s` on.
void RoundEvaluator::pass(Rank rank, double ready_s) {
  RankRound& own = at(rank);
  own.passage =
      network_.passage(own.leg, own.launch_s, ready_s, free_s(own.links, rank, own.destination, ready_s));
}

void RoundEvaluator::send_requests() {
  for (Rank rank = 0; rank < ranks_; ++rank) {
    RankRound& own = at(rank);
    if (own.destination < 0 || !own.leg.is_rendezvous) continue;
    ++evaluation_.rendezvous_messages;
    own.request_s = network_.control_arrival_s(own.launch_s, own.leg.latency_s,
                                               free_s(own.links, rank, own.destination, own.launch_s));
    if (!network_.is_behind_small(rank, own.launch_s)) evaluation_.is_exact = false;
  }
}

/// When the receiver of a rank's message answers its request.
double RoundEvaluator::answer_s(Rank sender) const {
  return std::max(at(sender).request_s, begin_s(at(sender).destination));
}

/// When an answer sent at `answer_s` reaches the sender, if no data of this round is ahead of it.
double RoundEvaluator::answer_arrival_s(Rank sender, double answer_s) {
  const RankRound& own = at(sender);
  if (!network_.rules().keep_order) return answer_s + own.leg.back_latency_s;
  const std::span<const LinkIndex> back = network_.routes().route(own.destination, sender);
  return network_.control_arrival_s(answer_s, own.leg.back_latency_s,
                                    free_s(back, own.destination, sender, answer_s));
}

void RoundEvaluator::answer_requests() {
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const RankRound& own = at(rank);
    if (own.destination < 0 || !own.leg.is_rendezvous) continue;
    if (!network_.is_behind_small(own.destination, answer_s(rank))) evaluation_.is_exact = false;
    const bool is_exchange = own.source == own.destination;
    if (!is_exchange || network_.rules().take_links)
      pass(rank, answer_arrival_s(rank, answer_s(rank)));
    else if (!at(own.destination).leg.is_rendezvous)
      evaluation_.is_exact = false;
    else if (rank < own.destination)
      answer_each_other(rank);
  }
}

/// Two ranks exchange data with each other. The later answer may be behind the data that the earlier answer
/// released, and does not overtake this data if it is small or the connection has a single stream.
void RoundEvaluator::answer_each_other(Rank rank) {
  Rank first = rank;
  Rank second = at(rank).destination;
  if (answer_s(second) < answer_s(first)) std::swap(first, second);
  const double released_s = answer_arrival_s(first, answer_s(first));
  pass(first, released_s);
  // The second rank's request is answered by the first rank, on the same connection as the first rank's data.
  const double later_s = answer_s(second);
  const Passage& data = at(first).passage;
  const bool waits = data.passes || network_.rules().keep_order;
  if (waits && are_simultaneous(released_s, later_s)) evaluation_.is_exact = false;
  if (waits && released_s <= later_s)
    pass(second, std::max(later_s, data.gone_s) + at(second).leg.back_latency_s);
  else
    pass(second, answer_arrival_s(second, later_s));
}

void RoundEvaluator::take_links() {
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const RankRound& own = at(rank);
    if (own.destination < 0) continue;
    if (own.passage.passes && !network_.note_small(rank, own.destination, own.passage.gone_s))
      evaluation_.is_exact = false;
    if (own.passage.passes && !network_.rules().take_links) continue;
    if (!network_.take(own.links, rank, own.destination, own.passage.start_s, own.passage.gone_s))
      evaluation_.is_exact = false;
  }
}

void RoundEvaluator::end_round() {
  take_links();
  const double reduction_s_per_byte = network_.costs().reduction_s_per_byte;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const RankRound& own = at(rank);
    double& begin_s = begin_s_[static_cast<std::size_t>(rank)];
    double end_s = own.destination < 0 ? begin_s : std::max(own.launch_s, own.passage.complete_s);
    if (own.source >= 0) {
      const RankRound& sender = at(own.source);
      end_s = std::max(end_s, network_.received_s(sender.leg, own.launch_s, sender.passage.arrival_s));
      if (own.is_reducing)
        end_s += static_cast<double>(own.received) * bytes_per_element_ * reduction_s_per_byte;
    }
    begin_s = end_s;
  }
}

}  // namespace starling
