#include "algorithms/collectives/evaluation/ring_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starling {

namespace {

double first_begin_s(std::span<const RankState> ranks) {
  return std::ranges::min(ranks, {}, &RankState::begin_s).begin_s;
}

double last_begin_s(std::span<const RankState> ranks) {
  return std::ranges::max(ranks, {}, &RankState::begin_s).begin_s;
}

/// Of a ring, whether what a rank has sent in it may arrive after the rank got there.
bool may_be_under_way(const EvaluatedRing& ring, std::span<const RankState> senders) {
  for (std::size_t rank = 0; rank < senders.size(); ++rank) {
    const std::size_t right = rank + 1 == senders.size() ? 0 : rank + 1;
    if (ring.after[right].begin_s > senders[rank].begin_s) return true;
  }
  return false;
}

}  // namespace

RingTraffic::RingTraffic(const RingEvaluator& rings, LinkWatch& watch)
    : rings_(rings),
      watch_(watch),
      ranks_(rings.hops().size()),
      hops_(ranks_),
      chunk_bytes_(2 * ranks_),
      free_s_(ranks_),
      under_way_(ranks_),
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
  begin_period(first_begin_s(ring_.before));
  is_in_period_ = first_begin_s(ring_.before) >= period_begin_s_ && last_begin_s(ring_.after) < period_end_s_;
  find_sizes(ring_.chunks);
  const double most_bytes = most_under_way();
  if (can_leave_out(most_bytes)) {
    tell_at_once();
    left_out_ = {std::move(ring_), most_bytes};
  } else {
    note_left_out();
    tell_step_by_step();
  }
  end_period();
  for (std::size_t rank = 0; rank < ranks_; ++rank) end_activity(rank);
}

void RingTraffic::find_sizes(const ChunkSizes& chunks) {
  const FreeRoutes& network = rings_.network();
  const RingHops& hops = rings_.hops();
  chunks_ = chunks;
  legs_ = legs_of(chunks, hops, network);
  wire_bytes_.clear();
  for (const Hop& hop : hops.kinds)
    wire_bytes_.push_back(
        {network.wire_bytes(chunks.bytes[0], hop), network.wire_bytes(chunks.bytes[1], hop)});
  std::size_t small = 0;
  for (const Legs& legs : legs_) small += std::size_t{legs[0].is_small} + std::size_t{legs[1].is_small};
  are_small_ = small > 0;
  are_alike_ = small == 0 || small == 2 * legs_.size();
  for (std::size_t i = 0; hops.are_alike() && i < chunk_bytes_.size(); ++i) {
    const std::size_t size = chunks.size_of(static_cast<int>(i % ranks_));
    chunk_bytes_[i] = chunks.bytes[size] > 0 ? wire_bytes_.front()[size] : 0;
  }
}

/// By each rank; nothing by those whose chunk is empty.
const double* RingTraffic::bytes_sent(int step) {
  const int first_chunk = first_chunk_sent(step, static_cast<int>(ranks_));
  const RingHops& hops = rings_.hops();
  if (hops.are_alike()) return &chunk_bytes_[static_cast<std::size_t>(first_chunk)];
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::size_t size = size_sent(chunks_, first_chunk, rank, ranks_);
    chunk_bytes_[rank] = chunks_.bytes[size] > 0 ? wire_bytes_[hops.kind_of[rank]][size] : 0;
  }
  return chunk_bytes_.data();
}

/// On the wire, where hops are alike. Of two sizes the smaller one may take more there, by another protocol.
double RingTraffic::most_bytes_of_message() const {
  const auto [smaller, larger] = wire_bytes_.front();
  return chunks_.larger_chunks > 0 ? std::max(smaller, larger) : smaller;
}

/// Where they are.
std::optional<RingUnderWay::Alike> RingTraffic::alike() const {
  if (!rings_.hops().are_alike() || chunks_.bytes[0] == 0) return std::nullopt;
  const auto& [smaller, larger] = legs_.front();
  return RingUnderWay::Alike{
      .most_bytes = most_bytes_of_message(),
      .transmission_s = are_small_ ? 0 : std::min(smaller.transmission_s, larger.transmission_s)};
}

/// From a rank of the ring at a time, in bytes, where hops are alike. If each of n steps takes c or more,
/// what is sent in step k is sent kc after the first rank has come, or later, and arrives (n−1−k)c before the
/// last one is done, or sooner: where all takes t, 1 + ⌊(t − (n−1)c)/c⌋ of them overlap, at most.
double RingTraffic::most_under_way() const {
  const auto takes_s = [&](const Leg& leg) {
    return leg.transmission_s + leg.latency_s + 2 * rings_.network().costs().overhead_s;
  };
  const double steps = ring_.end_step - ring_.first_step;
  const double step_s = std::min(takes_s(legs_.front()[0]), takes_s(legs_.front()[1]));
  const double all_s = last_begin_s(ring_.after) - first_begin_s(ring_.before);
  const double overlap = step_s > 0 ? 1 + std::floor((all_s - (steps - 1) * step_s) / step_s) : steps;
  return std::min(steps, overlap) * most_bytes_of_message();
}

bool RingTraffic::can_leave_out(double most_bytes) const {
  if (!is_in_period_ || !are_alike_ || !alike() || !are_activities_kept() || !do_all_flow_alike())
    return false;
  if (left_out_) {
    if (may_be_under_way(left_out_->ring, ring_.after)) return false;
    if (may_be_under_way(left_out_->ring, ring_.before)) most_bytes += left_out_->most_bytes;
  }
  return !under_way_.may_be_most(ring_.before, most_bytes);
}

/// Until ranks are done with the ring.
bool RingTraffic::are_activities_kept() const {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double begin_s = ring_.before[rank].begin_s;
    const double end_s = ring_.after[rank].begin_s;
    for (const LinkWatch::Since& since : watch_.history(static_cast<Rank>(rank)))
      if (since.s >= begin_s && since.s < end_s && since.activity != activities_[rank]) return false;
  }
  return true;
}

/// Small ones pass, and so do all after them, if hops have nothing to send before.
bool RingTraffic::do_all_flow_alike() const {
  if (!are_small_ || !rings_.network().rules().keep_order) return true;
  const double overhead_s = rings_.network().costs().overhead_s;
  return std::ranges::all_of(ring_.before,
                             [&](const RankState& rank) { return rank.free_s <= rank.begin_s + overhead_s; });
}

void RingTraffic::tell_at_once() {
  for (int step = ring_.first_step; step < ring_.end_step; ++step) {
    const double* const bytes = bytes_sent(step);
    for (std::size_t rank = 0; rank < ranks_; ++rank) bytes_while_[rank] += bytes[rank];
  }
  if (!are_small_) carried_bytes_ = bytes_while_;
}

/// If any of it may be under way beside this one.
void RingTraffic::note_left_out() {
  if (!left_out_) return;
  if (may_be_under_way(left_out_->ring, ring_.before)) {
    find_sizes(left_out_->ring.chunks);
    go_through(left_out_->ring, [](const RingReplay&, const double*) {});
    find_sizes(ring_.chunks);
  }
  left_out_.reset();
}

void RingTraffic::tell_step_by_step() {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    until_s_[rank] = std::nextafter(ring_.before[rank].begin_s, std::numeric_limits<double>::infinity());
    hops_[rank].next_in_history = 0;
  }
  changes_s_ = *std::ranges::min_element(until_s_);
  go_through(ring_, [&](const RingReplay& replay, const double* bytes) {
    tell_sent(bytes);
    tell_carried(bytes, replay);
  });
  for (std::size_t rank = 0; rank < ranks_; ++rank)
    for (const LinkIndex link : hops_[rank].route) watch_.had_under_way(link, under_way_.most_bytes(rank));
}

/// Notes what is under way, and calls see(replay, bytes sent) after each step.
template <typename See>
void RingTraffic::go_through(const EvaluatedRing& ring, const See& see) {
  under_way_.begin(static_cast<std::size_t>(ring.end_step - ring.first_step), ring.before, alike());
  RingReplay replay(rings_, ring, ring.first_step, ring.before);
  for (int step = ring.first_step; step < ring.end_step; ++step) {
    const SentTimes sent{under_way_.sent_s(), free_s_.data(), under_way_.arrival_s()};
    replay.step([&](const auto& ranks) { ranks.note_sent(sent); });
    ready_s_ = sent.ready_s;
    arrival_s_ = sent.arrival_s;
    const double* const bytes = bytes_sent(step);
    under_way_.step(bytes);
    see(replay, bytes);
  }
  under_way_.end();
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
  period_begin_s_ = watch_.begin_s(period_);
  period_end_s_ = watch_.end_s(period_);
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
