#include "algorithms/collectives/evaluation/ring_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling {
namespace {

/// What arrives at the moment at which something is sent is not under way with it.
bool is_under_way(double arrival_s, double now_s) { return arrival_s * (1 - rounding_of_moments) > now_s; }

}  // namespace

RingTraffic::RingTraffic(const RingEvaluator& rings, LinkWatch& watch)
    : rings_(rings),
      watch_(watch),
      ranks_(rings.hops().size()),
      hops_(ranks_),
      chunk_bytes_(2 * ranks_),
      free_s_(ranks_),
      several_(ranks_),
      readies_s_(ranks_),
      arrivals_s_(ranks_),
      most_wait_s_(ranks_),
      may_be_most_(ranks_),
      sent_(ranks_),
      last_arrival_s_(ranks_, FreeRoutes::never_s),
      last_bytes_(ranks_),
      most_bytes_(ranks_),
      bytes_while_(ranks_),
      until_s_(ranks_),
      carried_bytes_(ranks_) {
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
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    until_s_[rank] = std::nextafter(ring_.before[rank].begin_s, std::numeric_limits<double>::infinity());
    hops_[rank].next_in_history = 0;
  }
  find_sizes();
  const auto begins_s = [](const RankState& rank) { return rank.begin_s; };
  const double begin_s = std::ranges::min(ring_.before, {}, begins_s).begin_s;
  begin_period(begin_s);
  is_in_period_ =
      begin_s >= period_begin_s_ && std::ranges::max(ring_.after, {}, begins_s).begin_s < period_end_s_;
  is_noted_ = begins_to_note();
  first_chunks_.clear();
  changes_s_ = *std::ranges::min_element(until_s_);
  ready_s_ = readies_s_.data();
  arrival_s_ = arrivals_s_.data();
  RingReplay replay(rings_, ring_, ring_.first_step, ring_.before);
  for (int step = ring_.first_step; step < ring_.end_step; ++step) {
    replay.step([&](const auto& ring) { tell_step(replay, ring); });
    if (!is_noted_) continue;
    ready_s_ += ranks_;
    arrival_s_ += ranks_;
  }
  if (is_noted_) tell_noted();
  end_period();
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    end_activity(rank);
    for (const LinkIndex link : hops_[rank].route) watch_.had_under_way(link, most_bytes_[rank]);
  }
}

/// So that afterwards only those hops are looked at for what was under way meanwhile on which it may have been
/// more than ever before. Of a hop that sends one message after the other, each of which takes T, no more than
/// ⌈w/T⌉ are under way with one that arrives w after it was sent.
bool RingTraffic::begins_to_note() {
  const auto steps = static_cast<std::size_t>(ring_.end_step - ring_.first_step);
  constexpr std::size_t most_noted = 1 << 15;
  if (steps * ranks_ > most_noted || !rings_.hops().are_alike() || ring_.chunks.bytes[0] == 0) return false;
  const double chunk_bytes = wire_bytes_.front()[ring_.chunks.larger_chunks > 0 ? 1 : 0];
  const double least_s = legs_.front()[0].transmission_s;
  constexpr double any_s = std::numeric_limits<double>::infinity();
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const OfHop& hop = hops_[rank];
    const bool has_sent = is_under_way(last_arrival_s_[rank], ring_.before[rank].begin_s);
    const double before = hop.when_sent == sent_[rank] ? hop.bytes_under_way : last_bytes_[rank];
    const double all_bytes = static_cast<double>(steps) * chunk_bytes + (has_sent ? before : 0);
    most_wait_s_[rank] = has_sent || are_small_ ? -1 : std::floor(most_bytes_[rank] / chunk_bytes) * least_s;
    if (all_bytes <= most_bytes_[rank]) most_wait_s_[rank] = any_s;
    may_be_most_[rank] = 0;
  }
  some_may_be_most_ = std::ranges::any_of(most_wait_s_, [](double wait_s) { return wait_s < any_s; });
  readies_s_.resize(std::max(readies_s_.size(), steps * ranks_));
  arrivals_s_.resize(readies_s_.size());
  return true;
}

void RingTraffic::note_under_way() {
  const double* const ready = ready_s_;
  const double* const arrival = arrival_s_;
  const double* const before = first_chunks_.size() == 1 ? last_arrival_s_.data() : arrival - ranks_;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    may_be_most_[rank] |= static_cast<int>(arrival[rank] - ready[rank] > most_wait_s_[rank]) &
                          static_cast<int>(is_under_way(before[rank], ready[rank]));
}

/// Where steps were noted.
void RingTraffic::tell_noted() {
  const std::size_t steps = first_chunks_.size();
  const double most_bytes = *std::ranges::max_element(chunk_bytes_);
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    OfHop& hop = hops_[rank];
    const auto arrival_s = [&](std::size_t step) { return arrivals_s_[step * ranks_ + rank]; };
    const auto bytes = [&](std::size_t step) { return chunk_bytes_[first_chunks_[step] + rank]; };
    for (std::size_t step = 0; most_bytes_[rank] < most_bytes && step < steps; ++step)
      most_bytes_[rank] = std::max(most_bytes_[rank], bytes(step));
    std::size_t first = 0;
    if (may_be_most_[rank] == 0)
      for (first = steps; first > 0 && is_under_way(arrival_s(first - 1), ring_.after[rank].begin_s);)
        --first;
    if (first < steps) {
      begin_several(rank);
      for (std::size_t step = first; step < steps; ++step) {
        hop.end_arrived(readies_s_[step * ranks_ + rank]);
        hop.send(arrival_s(step), bytes(step));
        if (may_be_most_[rank] != 0) most_bytes_[rank] = std::max(most_bytes_[rank], hop.bytes_under_way);
      }
      hop.when_sent = sent_[rank] + static_cast<std::int64_t>(steps);
    }
    sent_[rank] += static_cast<std::int64_t>(steps);
    last_arrival_s_[rank] = std::max(last_arrival_s_[rank], arrival_s(steps - 1));
    last_bytes_[rank] = bytes(steps - 1);
  }
}

void RingTraffic::find_sizes() {
  const FreeRoutes& network = rings_.network();
  const RingHops& hops = rings_.hops();
  legs_ = legs_of(ring_.chunks, hops, network);
  wire_bytes_.clear();
  for (const Hop& hop : hops.kinds)
    wire_bytes_.push_back(
        {network.wire_bytes(ring_.chunks.bytes[0], hop), network.wire_bytes(ring_.chunks.bytes[1], hop)});
  std::size_t small = 0;
  for (const Legs& legs : legs_) small += std::size_t{legs[0].is_small} + std::size_t{legs[1].is_small};
  are_small_ = small > 0;
  are_alike_ = small == 0 || small == 2 * legs_.size();
  for (std::size_t i = 0; hops.are_alike() && i < chunk_bytes_.size(); ++i) {
    const std::size_t size = ring_.chunks.size_of(static_cast<int>(i % ranks_));
    chunk_bytes_[i] = ring_.chunks.bytes[size] > 0 ? wire_bytes_.front()[size] : 0;
  }
}

/// By each rank; nothing by those whose chunk is empty.
const double* RingTraffic::bytes_sent(const RingReplay& replay) {
  const RingHops& hops = rings_.hops();
  if (hops.are_alike()) return &chunk_bytes_[static_cast<std::size_t>(replay.first_chunk())];
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::size_t size = replay.size_sent(rank);
    chunk_bytes_[rank] = replay.is_sent(size) ? wire_bytes_[hops.kind_of[rank]][size] : 0;
  }
  return chunk_bytes_.data();
}

template <typename RingOf>
void RingTraffic::tell_step(const RingReplay& replay, const RingOf& ring) {
  const double* const bytes = bytes_sent(replay);
  ring.note_sent({ready_s_, free_s_.data(), arrival_s_});
  tell_sent(bytes);
  if (is_noted_) {
    first_chunks_.push_back(static_cast<std::size_t>(replay.first_chunk()));
    if (some_may_be_most_) note_under_way();
  } else {
    tell_under_way(bytes);
  }
  tell_carried(bytes, replay);
}

void RingTraffic::tell_sent(const double* bytes) {
  constexpr double never_s = std::numeric_limits<double>::infinity();
  if (changes_s_ < never_s && *std::max_element(ready_s_, ready_s_ + ranks_) >= changes_s_) {
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      if (bytes[rank] > 0 && ready_s_[rank] >= until_s_[rank]) find_activity(rank, ready_s_[rank]);
    changes_s_ = *std::ranges::min_element(until_s_);
  }
  for (std::size_t rank = 0; rank < ranks_; ++rank) bytes_while_[rank] += bytes[rank];
}

/// Nearly always, what a rank has sent before has arrived when it sends again.
void RingTraffic::tell_under_way(const double* __restrict bytes) {
  const double* __restrict ready = ready_s_;
  const double* __restrict arrival = arrival_s_;
  double* __restrict last_arrival = last_arrival_s_.data();
  double* __restrict last_bytes = last_bytes_.data();
  double* __restrict most = most_bytes_.data();
  std::int64_t* __restrict sent = sent_.data();
  std::size_t several = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    several_[several] = rank;
    several += is_under_way(last_arrival[rank], ready[rank]) && bytes[rank] > 0;
  }
  for (std::size_t i = 0; i < several; ++i) send_several(several_[i], bytes[several_[i]]);
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const bool is_sent = bytes[rank] > 0;
    const double arrival_s = is_sent ? arrival[rank] : last_arrival[rank];
    last_arrival[rank] = arrival_s > last_arrival[rank] ? arrival_s : last_arrival[rank];
    last_bytes[rank] = is_sent ? bytes[rank] : last_bytes[rank];
    most[rank] = bytes[rank] > most[rank] ? bytes[rank] : most[rank];
    sent[rank] += is_sent;
  }
}

/// While others are under way, which arrive in the order in which they were sent.
void RingTraffic::send_several(std::size_t rank, double bytes) {
  OfHop& hop = hops_[rank];
  begin_several(rank);
  hop.end_arrived(ready_s_[rank]);
  hop.send(arrival_s_[rank], bytes);
  hop.when_sent = sent_[rank] + 1;
  most_bytes_[rank] = std::max(most_bytes_[rank], hop.bytes_under_way);
}

/// Before others, only the last message may have been under way, if no more are known.
void RingTraffic::begin_several(std::size_t rank) {
  OfHop& hop = hops_[rank];
  if (hop.when_sent == sent_[rank]) return;
  hop.messages.clear();
  hop.arrived = 0;
  hop.bytes_under_way = 0;
  hop.send(last_arrival_s_[rank], last_bytes_[rank]);
}

void RingTraffic::OfHop::send(double arrival_s, double bytes) {
  messages.push_back({arrival_s, bytes});
  bytes_under_way += bytes;
}

void RingTraffic::OfHop::end_arrived(double now_s) {
  constexpr std::size_t many = 1024;
  while (arrived < messages.size() && !is_under_way(messages[arrived].arrival_s, now_s))
    bytes_under_way -= messages[arrived++].bytes;
  if (arrived < many || 2 * arrived < messages.size()) return;
  messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(arrived));
  arrived = 0;
}

/// What the sender is at from when it is done with the ring on, it is at after what it sends in it, even if
/// that is at the same moment.
void RingTraffic::find_activity(std::size_t rank, double now_s) {
  end_activity(rank);
  const std::span<const LinkWatch::Since> history = watch_.history(static_cast<Rank>(rank));
  const double end_s = ring_.after[rank].begin_s;
  const auto is_known = [&](std::size_t next) { return next < history.size() && history[next].s < end_s; };
  std::size_t& next = hops_[rank].next_in_history;
  for (; is_known(next) && history[next].s <= now_s; ++next) activities_[rank] = history[next].activity;
  until_s_[rank] = is_known(next) ? history[next].s : std::numeric_limits<double>::infinity();
}

void RingTraffic::end_activity(std::size_t rank) {
  const double bytes = std::exchange(bytes_while_[rank], 0);
  for (const LinkIndex link : hops_[rank].route) watch_.had_sent(link, bytes, activities_[rank]);
}

/// All at once, if no period begins or ends meanwhile.
void RingTraffic::tell_carried(const double* __restrict bytes, const RingReplay& replay) {
  const bool is_in_period = is_in_period_ || is_step_in_period();
  if (!are_alike_ || !is_in_period) carry_each(bytes, replay);
  if (!is_in_period) begin_period(*std::min_element(ready_s_, ready_s_ + ranks_));
  if (!are_alike_ || !is_in_period) return;
  const double* __restrict ready = ready_s_;
  const double* __restrict free = free_s_.data();
  double* __restrict carried = carried_bytes_.data();
  if (!are_small_) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) carried[rank] += bytes[rank];
  } else if (rings_.network().rules().keep_order) {
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      carried[rank] += free[rank] > ready[rank] ? bytes[rank] : 0;
  }
}

void RingTraffic::carry_each(const double* bytes, const RingReplay& replay) {
  const FreeRoutes& network = rings_.network();
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const Leg& leg = legs_[rings_.hops().kind_of[rank]][replay.size_sent(rank)];
    if (bytes[rank] == 0 || network.passes(leg, ready_s_[rank], free_s_[rank])) continue;
    const double start_s = network.start_s(leg, ready_s_[rank], free_s_[rank]);
    const LinkWatch::When when = watch_.when(start_s, start_s + leg.transmission_s);
    for (const LinkIndex link : hops_[rank].route) watch_.carry(link, bytes[rank], when);
  }
}

/// Of all that was sent in the last step, from when it was ready to when it arrived.
bool RingTraffic::is_step_in_period() const {
  std::int64_t outside = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    outside += (ready_s_[rank] < period_begin_s_) | (arrival_s_[rank] >= period_end_s_);
  return outside == 0;
}

void RingTraffic::begin_period(double time_s) {
  end_period();
  period_ = watch_.when(time_s, time_s).first;
  period_begin_s_ = static_cast<double>(period_) * watch_.period_s();
  period_end_s_ = period_begin_s_ + watch_.period_s();
}

void RingTraffic::end_period() {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double bytes = std::exchange(carried_bytes_[rank], 0);
    if (bytes == 0) continue;
    for (const LinkIndex link : hops_[rank].route) watch_.carry_in(period_, link, bytes);
  }
  period_end_s_ = 0;
}

}  // namespace starling
